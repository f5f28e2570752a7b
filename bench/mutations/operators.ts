import ts from 'typescript'

/** The replacement of each operator, method or comparison of SQL; where there are several, each is a mutant. */

export const OPERATORS: Readonly<Partial<Record<ts.SyntaxKind, string>>> = {
  [ts.SyntaxKind.LessThanToken]: '<=',
  [ts.SyntaxKind.LessThanEqualsToken]: '<',
  [ts.SyntaxKind.GreaterThanToken]: '>=',
  [ts.SyntaxKind.GreaterThanEqualsToken]: '>',
  [ts.SyntaxKind.EqualsEqualsEqualsToken]: '!==',
  [ts.SyntaxKind.ExclamationEqualsEqualsToken]: '===',
  [ts.SyntaxKind.PlusToken]: '-',
  [ts.SyntaxKind.MinusToken]: '+',
  [ts.SyntaxKind.AsteriskToken]: '/',
  [ts.SyntaxKind.SlashToken]: '*',
  [ts.SyntaxKind.PercentToken]: '*',
  [ts.SyntaxKind.PlusEqualsToken]: '-=',
  [ts.SyntaxKind.MinusEqualsToken]: '+=',
  [ts.SyntaxKind.AmpersandAmpersandToken]: '||',
  [ts.SyntaxKind.BarBarToken]: '&&',
  [ts.SyntaxKind.QuestionQuestionToken]: '&&',
}

const PAIRS = [
  ['floor', 'ceil'],
  ['min', 'max'],
  ['some', 'every'],
  ['startsWith', 'endsWith'],
  ['toLowerCase', 'toUpperCase'],
  ['gt', 'gte'],
  ['lt', 'lte'],
  ['plus', 'minus'],
  ['times', 'div'],
]
export const METHODS: ReadonlyMap<string, string> = new Map([
  ...PAIRS.flatMap(([a = '', b = '']) => [[a, b] as const, [b, a] as const]),
  ['round', 'floor'],
])

/** Calls of a chain that are left out: a narrower query becomes a wider one, a checked value an unchecked one. */
export const DROPPED: ReadonlySet<string> = new Set([
  'where',
  'whereRef',
  'forUpdate',
  'forShare',
  'skipLocked',
  'noWait',
  'onConflict',
  'orderBy',
  'limit',
  'distinct',
  'filter',
  'trim',
  'toLowerCase',
  'toUpperCase',
  'optional',
  'nullable',
])

/** Operators and directions that the query builder takes as strings. */
export const QUERY_WORDS: ReadonlyMap<string, string> = new Map([
  ['=', '!='],
  ['!=', '='],
  ['<>', '='],
  ['<', '<='],
  ['<=', '<'],
  ['>', '>='],
  ['>=', '>'],
  ['is', 'is not'],
  ['is not', 'is'],
  ['in', 'not in'],
  ['not in', 'in'],
  ['is distinct from', 'is not distinct from'],
  ['is not distinct from', 'is distinct from'],
  ['asc', 'desc'],
  ['desc', 'asc'],
])

/** Calls whose strings name columns, tables and the like: wrong names fail at once and show nothing about the tests. */
export const NAMING: ReadonlySet<string> = new Set([
  'select',
  'selectFrom',
  'insertInto',
  'updateTable',
  'deleteFrom',
  'innerJoin',
  'leftJoin',
  'onRef',
  'on',
  'whereRef',
  'groupBy',
  'returning',
  'column',
  'columns',
  'constraint',
  'ref',
  'as',
  'with',
  'count',
  'countAll',
  'sum',
  'coalesce',
  'describe',
  'using',
  'from',
  'distinctOn',
])

/** Of these the first argument alone is a name. */
export const NAMING_FIRST: ReadonlySet<string> = new Set(['where', 'orderBy', 'eb', 'having', 'jsonb_set'])

/** The changes to the text of a statement. The group, if there is one, is replaced; otherwise the whole match. */
export const SQL_RULES: readonly { kind: string; find: RegExp; to: string }[] = [
  { kind: 'SQL comparison', find: /(?<=\s)<=(?=\s)/g, to: '<' },
  { kind: 'SQL comparison', find: /(?<=\s)<(?=\s)/g, to: '<=' },
  { kind: 'SQL comparison', find: /(?<=\s)>=(?=\s)/g, to: '>' },
  { kind: 'SQL comparison', find: /(?<=\s)>(?=\s)/g, to: '>=' },
  { kind: 'SQL comparison', find: /(?<=\s)=(?=\s)/g, to: '<>' },
  { kind: 'SQL comparison', find: /(?<=\s)<>(?=\s)/g, to: '=' },
  { kind: 'SQL null', find: /\bis not null\b/gi, to: 'is null' },
  { kind: 'SQL null', find: /\bis null\b/gi, to: 'is not null' },
  { kind: 'SQL distinct', find: /\bis distinct from\b/gi, to: 'is not distinct from' },
  { kind: 'SQL distinct', find: /\bis not distinct from\b/gi, to: 'is distinct from' },
  { kind: 'SQL and/or', find: /(?<=\s)and(?=\s)/gi, to: 'or' },
  { kind: 'SQL and/or', find: /(?<=\s)or(?=\s)/gi, to: 'and' },
  { kind: 'SQL exists', find: /\bnot exists\b/gi, to: 'exists' },
  { kind: 'SQL lock', find: /\s+for (no key )?(update|share)( of \w+)?( skip locked| nowait)?/gi, to: '' },
  { kind: 'SQL lock', find: / skip locked/gi, to: '' },
  { kind: 'SQL order', find: /\bdesc\b/gi, to: 'asc' },
  { kind: 'SQL order', find: /\basc\b/gi, to: 'desc' },
  { kind: 'SQL function', find: /\bmin(?=\()/gi, to: 'max' },
  { kind: 'SQL function', find: /\bmax(?=\()/gi, to: 'min' },
  { kind: 'SQL function', find: /\bgreatest(?=\()/gi, to: 'least' },
  { kind: 'SQL function', find: /\bleast(?=\()/gi, to: 'greatest' },
  {
    kind: 'SQL conjunct',
    find: /\s+and\s+[^()]*?(?=\s+(?:and|or|order|group|limit|for|returning|union|on|set)\b|\s*\)|\s*$)/gi,
    to: '',
  },
]
