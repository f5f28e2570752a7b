import ts from 'typescript'

/** Stands in for a value that is only known when the test runs. */
const UNKNOWN = '…'

/** Names bound by the loops around a test, each with the text of its value. */
type Values = ReadonlyMap<string, string>

/** One test as it is written: in a table or a loop it runs under many titles, and has one place. */
export type WrittenTest = {
  /** as the runner prints them, one a row or a round */
  titles: string[]
  /** of Vitest's `tags` or Playwright's `tag`, without the @ that Playwright wants */
  tags: string[]
}

/**
 * The tests in a source file, without running it: those of `test(…)`, of `test.each(…)(…)` with a title for each row of
 * its table, and of a test in a `for … of` loop with one for each round. Skipped tests prove nothing and are left out.
 * @param file its name, which decides whether it is read as JSX
 */
export function readTests(file: string, text: string): WrittenTest[] {
  const source = ts.createSourceFile(file, text, ts.ScriptTarget.Latest, true)
  const tests: WrittenTest[] = []
  const visit = (node: ts.Node): void => {
    if (ts.isCallExpression(node)) {
      const titles = titlesOf(node, source)
      if (titles.length > 0) tests.push({ titles, tags: tagsOf(node) })
    }
    ts.forEachChild(node, visit)
  }
  visit(source)
  return tests
}

/** `{ tags: ['POS-18'] }` and `{ tag: ['@POS-18'] }` between title and body; a value that is not a literal is unknown. */
function tagsOf(call: ts.CallExpression): string[] {
  const [, options] = call.arguments
  const given = options && (property(options, 'tags') ?? property(options, 'tag'))
  return given ? cellsOf(given).map((tag) => literalText(tag).replace(/^@/, '')) : []
}

function titlesOf(call: ts.CallExpression, source: ts.SourceFile): string[] {
  const [title] = call.arguments
  if (!title || isNamed(call.expression, 'test.each')) return []
  if (isNamed(call.expression, 'test') || isNamed(call.expression, 'test.concurrent')) {
    return rounds(call, source).map((values) => words(title, values))
  }
  const table = call.expression
  if (!ts.isCallExpression(table) || !isNamed(table.expression, 'test.each')) return []
  const rows = elementsOf(table.arguments[0], source)
  const written = rounds(call, source).map((values) => words(title, values))
  if (rows === null) return written.map((text) => fill(text, []))
  return written.flatMap((text) => rows.map((row) => fill(text, cellsOf(row))))
}

function isNamed(node: ts.Node, name: string): boolean {
  return node.getText() === name
}

/** One set of values for each round of the loops around a node; a single empty one outside of any. */
function rounds(node: ts.Node, source: ts.SourceFile): Values[] {
  const outer = node.parent ? rounds(node.parent, source) : [new Map<string, string>()]
  if (!ts.isForOfStatement(node) || !ts.isVariableDeclarationList(node.initializer)) return outer
  const name = node.initializer.declarations[0]?.name
  const rows = elementsOf(node.expression, source)
  if (!name || rows === null) return outer
  return outer.flatMap((values) => rows.map((row) => new Map([...values, ...bind(name, row)])))
}

function bind(name: ts.BindingName, row: ts.Expression): [string, string][] {
  if (ts.isIdentifier(name)) return [[name.text, literalText(row)]]
  const cells = cellsOf(row)
  return name.elements.flatMap((element, index): [string, string][] => {
    if (ts.isOmittedExpression(element) || !ts.isIdentifier(element.name)) return []
    const cell = ts.isObjectBindingPattern(name) ? property(row, element.name.text) : cells[index]
    return [[element.name.text, cell ? literalText(cell) : UNKNOWN]]
  })
}

function words(title: ts.Expression, values: Values): string {
  if (!ts.isTemplateExpression(title)) return literalText(title)
  const spans = title.templateSpans.map(
    ({ expression, literal }) => (values.get(expression.getText()) ?? UNKNOWN) + literal.text,
  )
  return title.head.text + spans.join('')
}

/** As the test runner fills a title: `%s` and the like in order, `$name` from a row that is an object. */
function fill(title: string, cells: readonly ts.Expression[]): string {
  let next = 0
  return title
    .replaceAll(/%[sdifjoOc]/g, () => {
      const cell = cells[next]
      next += 1
      return cell ? literalText(cell) : UNKNOWN
    })
    .replaceAll(/\$(\w+)/g, (_, name: string) => {
      const cell = cells[0] && property(cells[0], name)
      return cell ? literalText(cell) : UNKNOWN
    })
}

/** Of an array that is written down, here or as a constant of the same file; else null. */
function elementsOf(node: ts.Expression | undefined, source: ts.SourceFile): readonly ts.Expression[] | null {
  const bare = node && strip(node)
  if (bare && ts.isArrayLiteralExpression(bare)) return bare.elements
  if (!bare || !ts.isIdentifier(bare)) return null
  let found: ts.Expression | undefined
  const visit = (at: ts.Node): void => {
    if (ts.isVariableDeclaration(at) && isNamed(at.name, bare.text)) found ??= at.initializer
    ts.forEachChild(at, visit)
  }
  visit(source)
  return found && !isNamed(found, bare.text) ? elementsOf(found, source) : null
}

function cellsOf(row: ts.Expression): readonly ts.Expression[] {
  const bare = strip(row)
  return ts.isArrayLiteralExpression(bare) ? bare.elements : [bare]
}

function property(row: ts.Expression, name: string): ts.Expression | undefined {
  const bare = strip(row)
  if (!ts.isObjectLiteralExpression(bare)) return undefined
  const found = bare.properties.find((one) => one.name && isNamed(one.name, name))
  return found && ts.isPropertyAssignment(found) ? found.initializer : undefined
}

/** Without `as const`, `satisfies` and brackets. */
function strip(node: ts.Expression): ts.Expression {
  const wrapped =
    ts.isAsExpression(node) || ts.isSatisfiesExpression(node) || ts.isParenthesizedExpression(node)
  return wrapped ? strip(node.expression) : node
}

function literalText(node: ts.Expression): string {
  const bare = strip(node)
  if (ts.isStringLiteralLike(bare)) return bare.text
  return ts.isNumericLiteral(bare) || /^(true|false|null|-\d+)$/.test(bare.getText())
    ? bare.getText()
    : UNKNOWN
}
