import { useEffect } from 'react'

/** Leads eye and focus to an item when the list is there, once for each item. @param id of its element; null for none */
export function useArrivalAtItem(id: string | null, ready: boolean): void {
  useEffect(() => {
    if (!ready || id === null) return
    // The name in the address may be spelled in another case than the trader's.
    const items = [...document.querySelectorAll<HTMLElement>('article[id]')]
    const item = items.find((one) => one.id.toLowerCase() === id.toLowerCase())
    item?.focus({ preventScroll: true })
    item?.scrollIntoView({ block: 'center', behavior: 'instant' })
  }, [id, ready])
}
