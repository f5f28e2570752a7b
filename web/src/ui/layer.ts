import { createContext, useContext, useEffect, useEffectEvent } from 'react'

/**
 * Announces that something lies over the page, so that Back closes it; returns the function that announces its closing. On a page
 * without the app nobody listens.
 */
export const LayerContext = createContext<(close: () => void) => () => void>(() => () => undefined)

/** While `isOpen`, Back calls `close` and leaves the page where it is. */
export function useLayer(isOpen: boolean, close: () => void): void {
  const add = useContext(LayerContext)
  const onBack = useEffectEvent(close)
  useEffect(() => (isOpen ? add(() => onBack()) : undefined), [isOpen, add])
}
