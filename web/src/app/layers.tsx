import { type ReactNode, useEffect } from 'react'
import { addLayer } from '../lib/layers.ts'
import { LayerContext } from '../ui/layer.ts'

/** Has Back close each layer over the page: windows and the drawer, which register themselves, and menus, which are markup only. */
export function Layers({ children }: { children: ReactNode }) {
  useEffect(watchMenus, [])
  return <LayerContext value={addLayer}>{children}</LayerContext>
}

function watchMenus(): () => void {
  const closed = new Map<Element, () => void>()
  const follow = ({ target: menu }: Event) => {
    if (!(menu instanceof HTMLDetailsElement) || menu.dataset.menu === undefined) return
    closed.get(menu)?.()
    closed.delete(menu)
    if (menu.open)
      closed.set(
        menu,
        addLayer(() => menu.removeAttribute('open')),
      )
  }
  document.addEventListener('toggle', follow, true)
  return () => document.removeEventListener('toggle', follow, true)
}
