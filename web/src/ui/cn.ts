import { type ClassValue, clsx } from 'clsx'
import { createTailwindMerge, type DefaultClassGroupIds, validators } from 'tailwind-merge'

const { isAny, isArbitraryValue } = validators
const SIZES = ['xs', 'sm', 'base', 'lg', 'xl', '2xl', '3xl', '4xl', '5xl', '6xl']
const ALIGNMENTS = ['left', 'center', 'right', 'justify', 'start', 'end']
const WEIGHTS = ['light', 'normal', 'medium', 'semibold', 'bold']

/**
 * What callers override on a primitive. The library's own table of all of Tailwind is three times its code; a class
 * that is missing here is simply kept beside the other.
 */
const merge = createTailwindMerge(() => ({
  cacheSize: 200,
  prefix: '',
  theme: {},
  classGroups: {
    display: ['block', 'inline-block', 'flex', 'inline-flex', 'grid', 'inline-grid', 'contents', 'hidden'],
    position: ['static', 'relative', 'absolute', 'fixed', 'sticky'],
    visibility: ['visible', 'invisible'],
    sr: ['sr-only', 'not-sr-only'],
    h: [{ h: [isAny] }],
    'min-h': [{ 'min-h': [isAny] }],
    'max-h': [{ 'max-h': [isAny] }],
    w: [{ w: [isAny] }],
    'min-w': [{ 'min-w': [isAny] }],
    'max-w': [{ 'max-w': [isAny] }],
    size: [{ size: [isAny] }],
    p: [{ p: [isAny] }],
    px: [{ px: [isAny] }],
    py: [{ py: [isAny] }],
    pt: [{ pt: [isAny] }],
    pb: [{ pb: [isAny] }],
    pl: [{ pl: [isAny] }],
    pr: [{ pr: [isAny] }],
    m: [{ m: [isAny] }],
    mx: [{ mx: [isAny] }],
    my: [{ my: [isAny] }],
    mt: [{ mt: [isAny] }],
    gap: [{ gap: [isAny] }],
    'gap-x': [{ 'gap-x': [isAny] }],
    'gap-y': [{ 'gap-y': [isAny] }],
    'space-y': [{ 'space-y': [isAny] }],
    'align-items': [{ items: [isAny] }],
    'justify-content': [{ justify: [isAny] }],
    'font-size': [{ text: [...SIZES, isArbitraryValue] }],
    'text-alignment': [{ text: ALIGNMENTS }],
    'text-wrap': [{ text: ['wrap', 'nowrap', 'balance', 'pretty'] }],
    'text-color': [{ text: [isAny] }],
    'font-weight': [{ font: WEIGHTS }],
    leading: [{ leading: [isAny] }],
    tracking: [{ tracking: [isAny] }],
    whitespace: [{ whitespace: [isAny] }],
    'bg-color': [{ bg: [isAny] }],
    rounded: [{ rounded: ['', 'none', 'sm', 'md', 'lg', 'xl', '2xl', 'full'] }],
  } satisfies Partial<Record<DefaultClassGroupIds, unknown>>,
  conflictingClassGroups: {
    p: ['px', 'py', 'pt', 'pb', 'pl', 'pr'],
    px: ['pl', 'pr'],
    py: ['pt', 'pb'],
    m: ['mx', 'my', 'mt'],
    size: ['w', 'h'],
  },
  conflictingClassGroupModifiers: {},
  orderSensitiveModifiers: ['before', 'after', 'placeholder', 'backdrop'],
}))

/** Joins class names; of two that set the same property the later one wins, so a caller can override a primitive. */
export function cn(...classes: ClassValue[]): string {
  return merge(clsx(classes))
}
