import { QueryClient, QueryClientProvider } from '@tanstack/react-query'
import { fireEvent, render, screen } from '@testing-library/react'
import type { ReactElement } from 'react'
import { vi } from 'vitest'
import { jsonAnswer, storeSession } from '../../lib/test-session.ts'

type Answer = { status?: number; body: unknown }

/** Renders a part of a screen over an API whose answers stand in `api`, by path; for tests. */
export function renderOver(api: Record<string, Answer>, part: ReactElement) {
  storeSession()
  const sent: { path: string; body: unknown }[] = []
  vi.stubGlobal('fetch', async (path: string, request: RequestInit) => {
    sent.push({ path, body: request.body === undefined ? null : JSON.parse(String(request.body)) })
    const answer = api[path]
    return jsonAnswer(answer?.status ?? (answer ? 200 : 500), answer?.body ?? {})
  })
  const client = new QueryClient()
  openDialogs()
  render(<QueryClientProvider client={client}>{part}</QueryClientProvider>)
  return { sent, client }
}

/** jsdom knows the dialog element, but not how to open it. */
function openDialogs(): void {
  HTMLDialogElement.prototype.showModal = function showModal() {
    this.open = true
  }
}

export function type(label: string | RegExp, value: string): void {
  fireEvent.change(screen.getByLabelText(label), { target: { value } })
}

export function press(name: string): void {
  fireEvent.click(button(name))
}

export function button(name: string): HTMLButtonElement {
  return screen.getByRole('button', { name })
}

export function field(label: string): HTMLInputElement {
  return screen.getByLabelText(label)
}

/** The texts of the alerts, without the live regions that are still empty. */
export function spokenAlerts(): string[] {
  return screen.getAllByRole('alert').flatMap(({ textContent }) => textContent || [])
}
