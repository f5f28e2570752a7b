import { cleanup, fireEvent, render, screen } from '@testing-library/react'
import type { TrackRecord } from '@tradepost/contract/track-record'
import { afterEach, expect, test, vi } from 'vitest'
import { renderOver } from '../features/positions/test-page.tsx'
import { TickerField } from '../features/positions/ticker-field.tsx'
import { TrackChart } from '../features/traders/track-chart.tsx'
import { Tabs, TabsList, TabsTrigger } from './tabs.tsx'
import { Textarea } from './textarea.tsx'

afterEach(() => {
  cleanup()
  vi.unstubAllGlobals()
})

/** A key event of an input method, and the form in which Safari reports the last one of a composition. */
const COMPOSING = [{ isComposing: true }, { keyCode: 229 }]

test('Enter that ends a composition asks for no price', () => {
  const onEnter = vi.fn()
  renderOver({}, <TickerField error={null} value="アップル" onChange={() => undefined} onEnter={onEnter} />)
  const field = screen.getByLabelText('Ticker')
  for (const composing of COMPOSING) fireEvent.keyDown(field, { key: 'Enter', ...composing })
  expect(onEnter).not.toHaveBeenCalled()
  fireEvent.keyDown(field, { key: 'Enter' })
  expect(onEnter).toHaveBeenCalledOnce()
})

test('arrow keys of a composition choose no other tab', () => {
  render(
    <Tabs defaultValue="a">
      <TabsList>
        <TabsTrigger value="a">A</TabsTrigger>
        <TabsTrigger value="b">B</TabsTrigger>
      </TabsList>
    </Tabs>,
  )
  const [first, second] = screen.getAllByRole('tab')
  first?.focus()
  fireEvent.keyDown(first as HTMLElement, { key: 'ArrowRight', isComposing: true })
  expect(second?.getAttribute('aria-selected')).toBe('false')
  fireEvent.keyDown(first as HTMLElement, { key: 'ArrowRight' })
  expect(second?.getAttribute('aria-selected')).toBe('true')
})

test('arrow keys of a composition move along no curve', () => {
  vi.stubGlobal(
    'ResizeObserver',
    class {
      observe() {}
      disconnect() {}
    },
  )
  const day = (on: string) => ({ day: on, level: 1, index: 1 })
  const track = { days: [day('2026-01-05'), day('2026-01-06')], closes: [], indexSymbol: 'SPY' }
  render(<TrackChart track={track as unknown as TrackRecord} username="maria" />)
  const slider = screen.getByRole('slider')
  for (const composing of COMPOSING) fireEvent.keyDown(slider, { key: 'Home', ...composing })
  expect(slider.getAttribute('aria-valuenow')).toBe('1')
  fireEvent.keyDown(slider, { key: 'Home' })
  expect(slider.getAttribute('aria-valuenow')).toBe('0')
})

test('a person’s text runs in the direction of its letters', () => {
  render(<Textarea aria-label="Notes" />)
  expect(screen.getByLabelText('Notes').getAttribute('dir')).toBe('auto')
})
