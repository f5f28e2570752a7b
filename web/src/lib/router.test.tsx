import { act, cleanup, render, screen } from '@testing-library/react'
import { matchPath } from '@tradepost/contract/match-path'
import { afterEach, beforeEach, expect, test } from 'vitest'
import { BrowserRouter, Link, Navigate, NavLink, useLocation, useSearchParams } from './router.tsx'

beforeEach(() => history.replaceState(null, '', '/'))
afterEach(cleanup)

function Place() {
  const { pathname, search, hash } = useLocation()
  return <output>{pathname + search + hash}</output>
}

const place = () => screen.getByRole('status').textContent

async function click(name: string, init: MouseEventInit = {}): Promise<boolean> {
  let followed = false
  await act(async () => {
    followed = screen
      .getByRole('link', { name })
      .dispatchEvent(new MouseEvent('click', { bubbles: true, cancelable: true, ...init }))
  })
  return followed
}

test('a pattern names segments, decoded; other paths and broken escapes are no match', () => {
  expect(matchPath('/trader/:username', '/trader/mar%C3%ADa')).toEqual({ username: 'maría' })
  expect(matchPath('/trader/:username/subscribe', '/trader/bob/subscribe/')).toEqual({ username: 'bob' })
  expect(matchPath('/trader/:username', '/trader/bob/subscribe')).toBeNull()
  expect(matchPath('/trader/:username', '/trader/%E0%A4%A')).toBeNull()
  expect(matchPath('/trader/:username', '/trader/')).toBeNull()
  expect(matchPath('/search', '/Search')).toBeNull()
  expect(matchPath('/search', '/search')).toEqual({})
})

test('a link is a real link, and a plain click stays in the page and adds to history', async () => {
  render(
    <BrowserRouter>
      <Link to="/search?username=bob#top">Search</Link>
      <Place />
    </BrowserRouter>,
  )
  expect(screen.getByRole('link').getAttribute('href')).toBe('/search?username=bob#top')
  const before = history.length
  await click('Search')
  expect(place()).toBe('/search?username=bob#top')
  expect(history.length).toBe(before + 1)
  await click('Search')
  expect(history.length).toBe(before + 1)
})

test('a click that asks for a new tab is left to the browser', async () => {
  render(
    <BrowserRouter>
      <Link to="/search" onClick={(event) => event.nativeEvent.stopImmediatePropagation()}>
        Search
      </Link>
      <Place />
    </BrowserRouter>,
  )
  for (const key of ['ctrlKey', 'metaKey', 'shiftKey', 'altKey']) await click('Search', { [key]: true })
  await click('Search', { button: 1 })
  expect(place()).toBe('/')
})

test('a redirect replaces history', async () => {
  const before = history.length
  render(
    <BrowserRouter>
      <Navigate to="/login" replace />
      <Place />
    </BrowserRouter>,
  )
  await act(async () => undefined)
  expect(place()).toBe('/login')
  expect(history.length).toBe(before)
})

test('Back and Forward are followed', async () => {
  render(
    <BrowserRouter>
      <Place />
    </BrowserRouter>,
  )
  await act(async () => {
    history.replaceState(null, '', '/leaderboard')
    dispatchEvent(new PopStateEvent('popstate'))
  })
  expect(place()).toBe('/leaderboard')
})

test('the entry of the current page is marked', () => {
  history.replaceState(null, '', '/search')
  render(
    <BrowserRouter>
      <NavLink to="/">Home</NavLink>
      <NavLink to="/search">Search</NavLink>
    </BrowserRouter>,
  )
  expect(screen.getByRole('link', { current: 'page' }).textContent).toBe('Search')
})

test('the query can be read and replaced', async () => {
  function Tab() {
    const [parameters, setParameters] = useSearchParams()
    return (
      <button type="button" onClick={() => setParameters({ tab: 'a b' }, { replace: true })}>
        {parameters.get('tab') ?? 'none'}
      </button>
    )
  }
  render(
    <BrowserRouter>
      <Tab />
      <Place />
    </BrowserRouter>,
  )
  expect(screen.getByRole('button').textContent).toBe('none')
  await act(async () => screen.getByRole('button').click())
  expect(screen.getByRole('button').textContent).toBe('a b')
  expect(place()).toBe('/?tab=a+b')
})
