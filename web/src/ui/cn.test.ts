import { expect, test } from 'vitest'
import { cn } from './cn.ts'

test('a later class wins over an earlier one of the same property', () => {
  expect(cn('h-10 w-full px-3 text-sm', 'h-12 p-2')).toBe('w-full text-sm h-12 p-2')
})

test('size, alignment and colour of text are three properties', () => {
  expect(cn('text-sm text-foreground text-left', 'text-right')).toBe('text-sm text-foreground text-right')
  expect(cn('text-sm text-foreground', 'text-destructive text-[0.9375rem]')).toBe(
    'text-destructive text-[0.9375rem]',
  )
})

test('a variant competes with its own kind only', () => {
  expect(cn('h-11 sm:h-10', 'h-14')).toBe('sm:h-10 h-14')
  expect(cn('h-11 sm:h-10', 'sm:h-9')).toBe('h-11 sm:h-9')
})

test('unknown classes and empty values pass', () => {
  expect(cn('dialog-motion', false, undefined, ['a', { b: true, c: false }])).toBe('dialog-motion a b')
})

test('gaps of the two directions stay beside each other', () => {
  expect(cn('gap-x-3 gap-y-1', 'text-pretty text-lg')).toBe('gap-x-3 gap-y-1 text-pretty text-lg')
})

test('a caller overrides borders, edges, opacity, overflow and grids too', () => {
  expect(cn('border border-border opacity-50', 'border-2 border-primary opacity-100')).toBe(
    'border-2 border-primary opacity-100',
  )
  expect(cn('inset-0 overflow-hidden grid-cols-2 mb-1', 'top-3 overflow-y-auto grid-cols-3 mb-4')).toBe(
    'inset-0 overflow-hidden top-3 overflow-y-auto grid-cols-3 mb-4',
  )
  expect(cn('ring-2 ring-ring shadow-xs outline-none', 'ring-ring/60 shadow-xl')).toBe(
    'ring-2 outline-none ring-ring/60 shadow-xl',
  )
})
