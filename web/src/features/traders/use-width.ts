import { type RefObject, useLayoutEffect, useRef, useState } from 'react'

/** How wide an element is, in whole px; 0 until it has been measured, which is before it is drawn. */
export function useWidth<Node extends HTMLElement>(): { ref: RefObject<Node | null>; width: number } {
  const ref = useRef<Node>(null)
  const [width, setWidth] = useState(0)
  useLayoutEffect(() => {
    const node = ref.current
    if (!node) return
    const measure = () => setWidth(Math.floor(node.getBoundingClientRect().width))
    measure()
    const observer = new ResizeObserver(measure)
    observer.observe(node)
    return () => observer.disconnect()
  }, [])
  return { ref, width }
}
