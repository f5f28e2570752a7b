import { vi } from 'vitest'

/** The page's navigator with `parts` in the place of its own; an object spread would lose `onLine` and all else. */
export function stubNavigator(parts: object): void {
  const own = navigator
  vi.stubGlobal(
    'navigator',
    new Proxy(own, { get: (_, name) => Reflect.get(name in parts ? parts : own, name) }),
  )
}
