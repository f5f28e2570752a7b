import ts from 'typescript'

/** The figures of one file. A line counts when it is not blank. */
export type Measured = {
  lines: number
  /** For each function with a block body: its lines from first to last, blank ones and nested functions included. */
  functionLines: number[]
  /** `as T`, `<T>x` and `x!`; not `as const`, which claims nothing. */
  casts: number
  /** Lines with nothing but a comment. */
  commentLines: number
}

/** Measures one source file. @param path a name that ends in `x` is parsed as TSX @param text the file's content */
export function measureSource(path: string, text: string): Measured {
  const kind = path.endsWith('x') ? ts.ScriptKind.TSX : ts.ScriptKind.TS
  const source = ts.createSourceFile(path, text, ts.ScriptTarget.Latest, true, kind)
  const lineOf = (position: number) => source.getLineAndCharacterOfPosition(position).line
  const measured: Measured = { lines: 0, functionLines: [], casts: 0, commentLines: 0 }
  const comments = new Map<number, number>()
  const tagTexts: ts.Node[] = []
  function visit(node: ts.Node): void {
    if (isFunction(node))
      measured.functionLines.push(lineOf(node.getEnd()) - lineOf(node.getStart(source)) + 1)
    if (isCast(node)) measured.casts += 1
    if (ts.isJsxText(node)) tagTexts.push(node)
    for (const { pos, end } of commentsAround(text, node)) comments.set(pos, end)
    for (const child of node.getChildren(source)) visit(child)
  }
  visit(source)
  // Text between JSX tags can look like a comment (`//`), and is none.
  for (const tagText of tagTexts)
    for (const pos of [...comments.keys()])
      if (pos >= tagText.getFullStart() && pos < tagText.getEnd()) comments.delete(pos)
  const withoutComments = blank(text, comments).split('\n')
  for (const [at, line] of text.split('\n').entries()) {
    if (line.trim() === '') continue
    measured.lines += 1
    if (withoutComments[at]?.trim() === '') measured.commentLines += 1
  }
  return measured
}

function isFunction(node: ts.Node): boolean {
  return (
    ts.isFunctionLike(node) && 'body' in node && node.body !== undefined && ts.isBlock(node.body as ts.Node)
  )
}

function isCast(node: ts.Node): boolean {
  if (ts.isNonNullExpression(node) || ts.isTypeAssertionExpression(node)) return true
  return ts.isAsExpression(node) && !ts.isConstTypeReference(node.type)
}

function commentsAround(text: string, node: ts.Node): ts.CommentRange[] {
  return [
    ...(ts.getLeadingCommentRanges(text, node.getFullStart()) ?? []),
    ...(ts.getTrailingCommentRanges(text, node.getEnd()) ?? []),
  ]
}

/** Replaces every character of the ranges by a space, line ends excepted, so that line numbers stay. */
function blank(text: string, ranges: Map<number, number>): string {
  let left = text
  for (const [pos, end] of ranges)
    left = left.slice(0, pos) + left.slice(pos, end).replace(/[^\n]/g, ' ') + left.slice(end)
  return left
}

/**
 * The smallest of the numbers that at least a share of them does not exceed; 0 for an empty list.
 * @param share 0 to 1; 0.5 is the median
 */
export function percentile(numbers: readonly number[], share: number): number {
  const sorted = [...numbers].sort((a, b) => a - b)
  return sorted[Math.max(0, Math.ceil(sorted.length * share) - 1)] ?? 0
}
