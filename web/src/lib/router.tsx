import type { PathParameters } from '@tradepost/contract/match-path'
import {
  type ComponentProps,
  createContext,
  type MouseEvent,
  type ReactNode,
  startTransition,
  useContext,
  useEffect,
  useLayoutEffect,
  useMemo,
  useState,
} from 'react'
import { arrive, leaveLayers, settleOnLoad } from './layers.ts'
import { makeListeners } from './listeners.ts'

/*
 * Where the browser is, and the ways to somewhere else, with the names that React Router gave them. The product has
 * ten routes and no loaders; the library would be 11 kB of the first page, this is one.
 */

type Location = { pathname: string; search: string; hash: string }
type NavigateOptions = { replace?: boolean }

const LocationContext = createContext<Location>({ pathname: '/', search: '', hash: '' })
const ParametersContext = createContext<PathParameters>({})
const listeners = makeListeners()

function currentLocation(): Location {
  const { pathname, search, hash } = window.location
  return { pathname, search, hash }
}

/** The same object while the address is the same: a window that opens or closes is no way to elsewhere. */
function stillThere(before: Location): Location {
  const now = currentLocation()
  const same = (['pathname', 'search', 'hash'] as const).every((part) => now[part] === before[part])
  return same ? before : now
}

/**
 * Goes to an address of this origin; screens that are not loaded yet leave the old one in place meanwhile. Layers over the
 * page close.
 */
function navigate(to: string, { replace = false }: NavigateOptions = {}): void {
  const samePlace = new URL(to, window.location.href).href === window.location.href
  leaveLayers(replace || samePlace, (replacing) => {
    if (replacing) history.replaceState(null, '', to)
    else history.pushState(null, '', to)
    listeners.call()
  })
}

export function useNavigate(): typeof navigate {
  return navigate
}

/** Back to where one came from within the product, else to `fallback`. */
export function useGoBack(fallback: string): () => void {
  return () => (canGoBack() ? history.back() : navigate(fallback))
}

/** Browsers without the Navigation API cannot distinguish pages of ours from those of others. */
function canGoBack(): boolean {
  return 'navigation' in window ? navigation.canGoBack : history.length > 1
}

export function useLocation(): Location {
  return useContext(LocationContext)
}

/** The named segments of the matched route. */
export function useParams(): PathParameters {
  return useContext(ParametersContext)
}

/** The query, and a way to replace it. */
export function useSearchParams() {
  const { pathname, search } = useLocation()
  const parameters = useMemo(() => new URLSearchParams(search), [search])
  function setParameters(next: Record<string, string>, options?: NavigateOptions): void {
    navigate(`${pathname}?${new URLSearchParams(next)}`, options)
  }
  return [parameters, setParameters] as const
}

/** Follows the address bar: links, `navigate`, Back and Forward. */
export function BrowserRouter({ children }: { children: ReactNode }) {
  const [location, setLocation] = useState(currentLocation)
  useLayoutEffect(() => {
    const follow = () => startTransition(() => setLocation(stillThere))
    const followBack = () => {
      arrive()
      follow()
    }
    const end = listeners.add(follow)
    addEventListener('popstate', followBack)
    settleOnLoad()
    return () => {
      end()
      removeEventListener('popstate', followBack)
    }
  }, [])
  return <LocationContext value={location}>{children}</LocationContext>
}

/** Stands still at one path: for drawing a page at build time, and for tests. */
export function FixedRouter({ path, children }: { path: string; children: ReactNode }) {
  const { pathname, search, hash } = new URL(path, 'http://localhost')
  return <LocationContext value={{ pathname, search, hash }}>{children}</LocationContext>
}

export function RouteParameters({ value, children }: { value: PathParameters; children: ReactNode }) {
  return <ParametersContext value={value}>{children}</ParametersContext>
}

/** Goes there as soon as it is drawn. */
export function Navigate({ to, replace = false }: { to: string; replace?: boolean }) {
  useEffect(() => navigate(to, { replace }), [to, replace])
  return null
}

type LinkProps = Omit<ComponentProps<'a'>, 'href'> & { to: string; replace?: boolean }

/** A real link; a plain click stays in the page, everything else (new tab, download) is the browser's. */
export function Link({ to, replace = false, onClick, ...props }: LinkProps) {
  function follow(event: MouseEvent<HTMLAnchorElement>): void {
    onClick?.(event)
    const plain = event.button === 0 && !(event.metaKey || event.ctrlKey || event.shiftKey || event.altKey)
    if (event.defaultPrevented || !plain || (props.target && props.target !== '_self')) return
    event.preventDefault()
    navigate(to, { replace })
  }
  return <a href={to} onClick={follow} {...props} />
}

/** A link that marks itself while one is exactly there. */
export function NavLink(props: LinkProps) {
  const { pathname } = useLocation()
  return <Link aria-current={pathname === props.to ? 'page' : undefined} {...props} />
}
