import ts from 'typescript'
import { DROPPED, METHODS, NAMING, NAMING_FIRST, OPERATORS, QUERY_WORDS } from './operators.ts'
import { parse, siteAt, sitesOf } from './sites.ts'
import { sqlEdits } from './sql.ts'

/** Replaces a piece of a text. */
export type Edit = { kind: string; start: number; end: number; to: string }

/** One change of one source. */
export type Mutant = Edit & {
  /** `file:line:column kind → text`: stays the same while the source does. */
  id: string
  file: string
  line: number
  before: string
  /** The place that a test has to reach to see it; see sites.ts. */
  place: string
}

/** Every mutant of a source, in the order of the text. */
export function mutantsOf(file: string, text: string): Mutant[] {
  const source = parse(file, text)
  const sites = sitesOf(source)
  const edits: Edit[] = []
  const visit = (node: ts.Node) => {
    if (isPassedOver(node, source)) return
    edits.push(...editsOf(node, source))
    ts.forEachChild(node, visit)
  }
  visit(source)
  return edits
    .filter(({ start, end, to }) => text.slice(start, end) !== to)
    .sort((a, b) => a.start - b.start || a.end - b.end)
    .map((edit) => {
      const { line, character } = source.getLineAndCharacterOfPosition(edit.start)
      return {
        ...edit,
        id: `${file}:${line + 1}:${character + 1} ${edit.kind} → ${edit.to}`,
        file,
        line: line + 1,
        before: text.slice(edit.start, edit.end),
        place: `${file}#${siteAt(sites, edit.start)}`,
      }
    })
}

export function mutated(text: string, { start, end, to }: Edit): string {
  return text.slice(0, start) + to + text.slice(end)
}

/** Types and imports do nothing; no test should pin log lines, and the words of an error that nobody expects. */
function isPassedOver(node: ts.Node, source: ts.SourceFile): boolean {
  if (ts.isTypeNode(node) || ts.isTypeAliasDeclaration(node) || ts.isInterfaceDeclaration(node)) return true
  if (ts.isImportDeclaration(node) || ts.isExportDeclaration(node)) return true
  if (ts.isNewExpression(node)) return /Error$/.test(node.expression.getText(source))
  return ts.isCallExpression(node) && isLogging(node, source)
}

function isLogging(call: ts.CallExpression, source: ts.SourceFile): boolean {
  return /(^|\.)(log|console)\??\.(trace|debug|info|warn|error|fatal|log)$/.test(
    call.expression.getText(source),
  )
}

function editsOf(node: ts.Node, source: ts.SourceFile): Edit[] {
  const replace = (kind: string, ...texts: string[]) =>
    texts.map((to) => ({ kind, start: node.getStart(source), end: node.end, to }))
  if (ts.isBinaryExpression(node)) return operatorEdits(node, source)
  if (ts.isIfStatement(node) || ts.isWhileStatement(node)) return conditionEdits(node.expression, source)
  if (ts.isConditionalExpression(node)) return conditionEdits(node.condition, source)
  if (ts.isPrefixUnaryExpression(node) && node.operator === ts.SyntaxKind.ExclamationToken)
    return replace('negation', node.operand.getText(source))
  if (ts.isNumericLiteral(node)) {
    const value = Number(node.text)
    return replace('number', String(value + 1), String(value - 1))
  }
  if (node.kind === ts.SyntaxKind.TrueKeyword) return replace('boolean', 'false')
  if (node.kind === ts.SyntaxKind.FalseKeyword) return replace('boolean', 'true')
  if (ts.isExpressionStatement(node)) return isCall(node.expression, source) ? replace('statement', '{}') : []
  if (ts.isCallExpression(node)) return callEdits(node, source)
  if (ts.isRegularExpressionLiteral(node)) return anchorEdits(node.getStart(source), node.text)
  if (ts.isTemplateExpression(node) || ts.isNoSubstitutionTemplateLiteral(node))
    return sqlEdits(node.getStart(source), node.getText(source), isSqlTag(node.parent, source))
  return ts.isStringLiteral(node) ? stringEdits(node, source) : []
}

function isCall(expression: ts.Expression, source: ts.SourceFile): boolean {
  const bare = ts.isAwaitExpression(expression) ? expression.expression : expression
  return ts.isCallExpression(bare) && !isLogging(bare, source)
}

function operatorEdits({ left, operatorToken, right }: ts.BinaryExpression, source: ts.SourceFile): Edit[] {
  const to = OPERATORS[operatorToken.kind]
  const joinsText =
    operatorToken.kind === ts.SyntaxKind.PlusToken && [left, right].some(ts.isStringLiteralLike)
  if (to === undefined || joinsText) return []
  return [{ kind: 'operator', start: operatorToken.getStart(source), end: operatorToken.end, to }]
}

function conditionEdits(condition: ts.Expression, source: ts.SourceFile): Edit[] {
  const text = condition.getText(source)
  const texts =
    condition.parent.kind === ts.SyntaxKind.WhileStatement ? ['false'] : [`!(${text})`, 'true', 'false']
  if (text === 'true' || text === 'false') return []
  return texts.map((to) => ({ kind: 'condition', start: condition.getStart(source), end: condition.end, to }))
}

function callEdits({ expression, end }: ts.CallExpression, source: ts.SourceFile): Edit[] {
  if (!ts.isPropertyAccessExpression(expression)) return []
  const { name } = expression
  const swap = METHODS.get(name.text)
  const edits: Edit[] = []
  if (swap) edits.push({ kind: 'method', start: name.getStart(source), end: name.end, to: swap })
  // The call is dropped and its receiver remains: of `z.optional(…)` that is nothing.
  if (DROPPED.has(name.text) && expression.expression.getText(source) !== 'z')
    edits.push({ kind: 'dropped call', start: expression.expression.end, end, to: '' })
  return edits
}

function anchorEdits(start: number, text: string): Edit[] {
  const edits: Edit[] = []
  const last = text.lastIndexOf('/')
  if (text.startsWith('/^')) edits.push({ kind: 'anchor', start: start + 1, end: start + 2, to: '' })
  if (text[last - 1] === '$' && text[last - 2] !== '\\')
    edits.push({ kind: 'anchor', start: start + last - 1, end: start + last, to: '' })
  return edits
}

function isSqlTag(parent: ts.Node, source: ts.SourceFile): boolean {
  return ts.isTaggedTemplateExpression(parent) && parent.tag.getText(source) === 'sql'
}

function stringEdits(node: ts.StringLiteral, source: ts.SourceFile): Edit[] {
  const start = node.getStart(source)
  const sql = sqlEdits(start, node.getText(source), false)
  if (sql.length > 0) return sql
  const { name, position } = callAround(node)
  const word = QUERY_WORDS.get(node.text)
  if (word && position > 0) return [{ kind: 'query word', start, end: node.end, to: `'${word}'` }]
  if (NAMING.has(name) || (NAMING_FIRST.has(name) && position === 0) || isName(node)) return []
  return [{ kind: 'string', start, end: node.end, to: node.text === '' ? "'mutated'" : "''" }]
}

/** Keys, columns of a list that is constant, and what documents. */
function isName(node: ts.StringLiteral): boolean {
  const { parent } = node
  if (ts.isPropertyAssignment(parent))
    return parent.name === node || /^(description|summary)$/.test(parent.name.getText())
  if (ts.isArrayLiteralExpression(parent) && ts.isAsExpression(parent.parent))
    return parent.getSourceFile().fileName.endsWith('.queries.ts')
  return ts.isElementAccessExpression(parent)
}

/** The call that a string is an argument of, directly or in a list, and the argument's position. */
function callAround(node: ts.Node): { name: string; position: number } {
  const argument = ts.isArrayLiteralExpression(node.parent) ? node.parent : node
  const call = argument.parent
  if (!ts.isCallExpression(call)) return { name: '', position: -1 }
  const { expression } = call
  return {
    name: ts.isPropertyAccessExpression(expression) ? expression.name.text : expression.getText(),
    position: call.arguments.indexOf(argument as ts.Expression),
  }
}
