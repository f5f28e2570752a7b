import { act, renderHook } from '@testing-library/react'
import { afterEach, expect, test, vi } from 'vitest'
import { claimDrafts, discardDrafts } from './drafts.ts'
import { forgetDraft, useDraft } from './use-draft.ts'

const EMPTY = { ticker: '', understood: false }

afterEach(() => {
  discardDrafts()
  vi.restoreAllMocks()
})

/** One look at a text; `leave` ends it. */
function look(name = 'feedback') {
  const { result, unmount } = renderHook(() => useDraft<string>(name, ''))
  const type = (text: string) => act(() => result.current[1](text))
  return { text: () => result.current[0], type, leave: unmount }
}

const stored = () => sessionStorage.getItem('tradepost-drafts')

test('typed text waits for the next look, in this tab, under its name', () => {
  claimDrafts('maria')
  const first = look()
  first.type('Half a sentence')
  first.leave()
  expect(look().text()).toBe('Half a sentence')
  expect(look('another').text()).toBe('')
  expect(JSON.parse(stored() ?? '')).toEqual({ person: 'maria', drafts: { feedback: 'Half a sentence' } })
})

test('a text that is emptied or sent is gone, and a text typed since is not', () => {
  claimDrafts('maria')
  const { text, type } = look()
  type('Half a sentence')
  type('')
  expect(stored()).toBeNull()
  type('A whole sentence, and more')
  act(() => forgetDraft('feedback', (draft) => draft === 'A whole sentence'))
  expect(text()).toBe('A whole sentence, and more')
  act(() => forgetDraft('feedback', (draft) => draft === 'A whole sentence, and more'))
  expect(text()).toBe('')
  expect(stored()).toBeNull()
})

test('a page that is loaded again finds what it kept, for the same person alone', () => {
  const kept = JSON.stringify({ person: 'maria', drafts: { feedback: 'Half a sentence' } })
  sessionStorage.setItem('tradepost-drafts', kept)
  claimDrafts('maria')
  expect(look().text()).toBe('Half a sentence')
  claimDrafts('jonas')
  expect(look().text()).toBe('')
  expect(stored()).toBeNull()
  claimDrafts('maria')
  expect(look().text()).toBe('')
})

test('a person who signs out leaves nothing in any tab, and nothing in the browser', () => {
  claimDrafts('maria')
  look().type('Half a sentence')
  const noted = vi.spyOn(Storage.prototype, 'setItem')
  discardDrafts()
  expect(look().text()).toBe('')
  expect(stored()).toBeNull()
  expect(localStorage.length).toBe(0)
  // The event that another tab receives.
  claimDrafts('maria')
  const { text, type } = look()
  type('Another')
  const [key = '', newValue = ''] = noted.mock.calls[0] ?? []
  act(() => void dispatchEvent(new StorageEvent('storage', { key: 'tradepost-theme', newValue })))
  expect(text()).toBe('Another')
  act(() => void dispatchEvent(new StorageEvent('storage', { key, newValue })))
  expect(text()).toBe('')
})

test('a draft of another version of the page, or text that is none, is passed over', () => {
  for (const draft of [{ ticker: 'AAPL' }, { ticker: 1, understood: true }, 'AAPL', null]) {
    claimDrafts('nobody else')
    sessionStorage.setItem('tradepost-drafts', JSON.stringify({ person: 'maria', drafts: { open: draft } }))
    claimDrafts('maria')
    expect(renderHook(() => useDraft('open', EMPTY)).result.current[0]).toBe(EMPTY)
  }
  claimDrafts('nobody else')
  for (const broken of ['{broken', '{"person":"maria"}', '7']) {
    claimDrafts('nobody else')
    sessionStorage.setItem('tradepost-drafts', broken)
    claimDrafts('maria')
    expect(look().text(), broken).toBe('')
  }
})

test('where nothing can be stored, words wait as long as the page', () => {
  vi.spyOn(Storage.prototype, 'setItem').mockImplementation(() => {
    throw new DOMException('full', 'QuotaExceededError')
  })
  claimDrafts('maria')
  const first = look()
  first.type('Half a sentence')
  first.leave()
  expect(look().text()).toBe('Half a sentence')
})
