import { cleanup, fireEvent, render, screen } from '@testing-library/react'
import { afterEach, expect, test } from 'vitest'
import { Gain } from './gain.tsx'
import { NotesField } from './notes-field.tsx'
import { Tabs, TabsContent, TabsList, TabsTrigger } from './tabs.tsx'

afterEach(cleanup)

test('the counter counts what will be kept, is tied to the field, and bounds nothing', () => {
  const { rerender } = render(<NotesField label="Open notes" value="" onChange={() => undefined} />)
  const field = screen.getByLabelText('Open notes')
  const counter = screen.getByText('0/500 (min. 10)')
  expect(field.getAttribute('aria-describedby')).toContain(counter.id)
  expect(field.hasAttribute('maxlength')).toBe(false)
  rerender(<NotesField label="Open notes" value={' '.repeat(10)} onChange={() => undefined} />)
  expect(counter.textContent).toBe('0/500 (min. 10)')
  rerender(<NotesField label="Open notes" value={`  ${'x'.repeat(500)}\n`} onChange={() => undefined} />)
  expect(screen.getByText('500/500 (min. 10)').className).not.toContain('text-destructive')
  rerender(<NotesField label="Open notes" value={'x'.repeat(501)} onChange={() => undefined} />)
  expect(screen.getByText('501/500 (min. 10)').className).toContain('text-destructive')
  expect(field.getAttribute('aria-invalid')).toBe('true')
})

test('a gain is shown by sign, glyph and word, never by colour alone, and 0.00% as no rise', () => {
  const { container } = render(
    <>
      <Gain value="12.345" />
      <Gain value="-3.2" />
      <Gain value="-0.001" />
    </>,
  )
  const [rise, loss, nothing] = [...container.querySelectorAll('[data-slot=gain]')]
  expect([rise?.textContent, loss?.textContent, nothing?.textContent]).toEqual([
    'gain +12.35%',
    'loss -3.20%',
    '0.00%',
  ])
  expect([rise, loss, nothing].map((gain) => gain?.querySelectorAll('svg').length)).toEqual([1, 1, 0])
  expect(rise?.className).toContain('text-primary')
  expect(loss?.className).toContain('text-destructive')
  expect(nothing?.className).toContain('text-primary')
})

test('tabs follow the arrow keys and keep one stop in the tab order', () => {
  render(
    <Tabs defaultValue="all">
      <TabsList aria-label="Positions">
        <TabsTrigger value="all">All</TabsTrigger>
        <TabsTrigger value="personal">Personal</TabsTrigger>
      </TabsList>
      <TabsContent value="all">Everything</TabsContent>
      <TabsContent value="personal">Mine</TabsContent>
    </Tabs>,
  )
  const all = screen.getByRole('tab', { name: 'All' })
  const personal = screen.getByRole('tab', { name: 'Personal' })
  expect([all.tabIndex, personal.tabIndex]).toEqual([0, -1])
  all.focus()
  fireEvent.keyDown(all, { key: 'ArrowRight' })
  expect(document.activeElement).toBe(personal)
  expect(screen.getByRole('tabpanel', { name: 'Personal' }).textContent).toBe('Mine')
  fireEvent.keyDown(personal, { key: 'ArrowRight' })
  expect(screen.getByRole('tabpanel').textContent).toBe('Everything')
  fireEvent.keyDown(all, { key: 'End' })
  expect(screen.getByRole('tabpanel').textContent).toBe('Mine')
})
