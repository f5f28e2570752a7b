import { QueryClient, QueryClientProvider } from '@tanstack/react-query'
import { fireEvent, render, screen } from '@testing-library/react'
import type { ReactElement } from 'react'
import { vi } from 'vitest'
import { BrowserRouter } from '../../lib/router.tsx'
import { jsonAnswer, storeSession } from '../../lib/test-session.ts'

type Answer = { status?: number; body: unknown }

/** Answers by method and path, such as `POST /v1/subscriptions/new`; a changed answer is used from then on. */
export type TestApi = Record<string, Answer | (() => Promise<Answer>)>

/**
 * Renders a part of a screen over an API; for tests.
 * @param at the path and query that the browser is at
 * @param know puts what was answered before into the cache
 * @returns the calls made, such as `POST /v1/subscriptions/new {"username":"maria"}`, the addresses that the page was
 * left for, and the cache
 */
export function renderOver(
  api: TestApi,
  part: ReactElement,
  at = '/',
  know: (client: QueryClient) => void = () => {},
) {
  storeSession()
  history.replaceState(null, '', at)
  const calls: string[] = []
  vi.stubGlobal('fetch', async (path: string, { method, body }: RequestInit) => {
    const call = `${method} ${path}`
    calls.push(body ? `${call} ${body}` : call)
    const known = api[call]
    const answer = typeof known === 'function' ? await known() : known
    return jsonAnswer(answer?.status ?? (answer ? 200 : 500), answer?.body ?? {})
  })
  const left: string[] = []
  const place = Object.assign(new URL(document.location.href), { assign: (url: string) => left.push(url) })
  vi.stubGlobal('location', place)
  const client = new QueryClient({ defaultOptions: { queries: { retry: false } } })
  know(client)
  render(
    <QueryClientProvider client={client}>
      <BrowserRouter>{part}</BrowserRouter>
    </QueryClientProvider>,
  )
  return { calls, left, client }
}

/** The browser shows the page again as it was, out of its memory. */
export function comeBack(): void {
  fireEvent(window, Object.assign(new Event('pageshow'), { persisted: true }))
}

/** An answer that waits until it is released. */
export function heldAnswer(answer: Answer) {
  let release = () => {}
  const held = new Promise<void>((resolve) => {
    release = resolve
  })
  return { answer: () => held.then(() => answer), release: () => release() }
}

export function press(name: string): void {
  fireEvent.click(button(name))
}

export function button(name: string): HTMLButtonElement {
  return screen.getByRole('button', { name })
}

/** Whether the button's spinner turns. */
export function isBusy(name: string): boolean {
  return button(name).getAttribute('aria-busy') === 'true'
}
