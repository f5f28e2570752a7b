/**
 * Finds text that a browser's translator would take from under React. It puts another element in the place of each text
 * node; React, which still holds the node, then throws where it takes the node away or puts something before it, and
 * writes what is new into a node that nobody sees. An element whose only child is one string is safe: React replaces all that it holds.
 */
import { relative } from 'node:path'
import * as ts from 'typescript'

type Container = ts.JsxElement | ts.JsxFragment

/** @param root of the repository @returns where a text stands bare, each as file, line and what is wrong, sorted */
export function findBareText(root: string): string[] {
  const program = programOf(`${root}/web/tsconfig.json`)
  return program
    .getSourceFiles()
    .filter(({ fileName }) => /\/web\/src\/.*(?<!\.test)\.tsx$/.test(fileName))
    .flatMap((file) =>
      judgeFile(file, program.getTypeChecker()).map(({ node, wrong }) => {
        const { line } = file.getLineAndCharacterOfPosition(node.getStart(file))
        return `${relative(root, file.fileName)}:${line + 1} ${wrong}`
      }),
    )
    .sort()
}

function programOf(configFile: string): ts.Program {
  const host = { ...ts.sys, onUnRecoverableConfigFileDiagnostic: () => undefined }
  const parsed = ts.getParsedCommandLineOfConfigFile(configFile, {}, host)
  if (!parsed) throw new Error(`${configFile} cannot be read`)
  return ts.createProgram(parsed.fileNames, parsed.options)
}

type Fault = { node: ts.Node; wrong: string }

function judgeFile(file: ts.SourceFile, types: ts.TypeChecker): Fault[] {
  const faults: Fault[] = []
  const visit = (node: ts.Node): void => {
    if (ts.isJsxElement(node) || ts.isJsxFragment(node)) faults.push(...judgeChildren(node, types))
    if (ts.isReturnStatement(node) && node.expression && isComponent(functionAround(node)))
      faults.push(...judgeReturned(node.expression, types))
    if (isTag(node) && node.tagName.getText() === 'option' && !/\bvalue=/.test(node.attributes.getText()))
      faults.push({
        node,
        wrong: 'is an option without a value: its text would be sent, in whatever language',
      })
    node.forEachChild(visit)
  }
  visit(file)
  return faults
}

/** An element or a fragment holds one text and nothing else, or no text. */
function judgeChildren(container: Container, types: ts.TypeChecker): Fault[] {
  const children = childrenOf(container)
  const alone = children.length === 1 && ts.isJsxElement(container)
  return children
    .filter((child) => (alone ? isListOfTexts(child, types) : isText(child, types)))
    .map((node) => ({ node, wrong: alone ? 'is a list of texts' : 'is text beside something' }))
}

/** A component returns no text: it would belong to the element around it. */
function judgeReturned(returned: ts.Expression, types: ts.TypeChecker): Fault[] {
  return mayBeText(types.getTypeAtLocation(returned), types)
    ? [{ node: returned, wrong: 'is text that a component returns' }]
    : []
}

/** Its children, without the line breaks and indents between them, and comments. */
function childrenOf(container: Container): ts.JsxChild[] {
  return container.children.filter((child) => {
    if (ts.isJsxText(child)) return !child.containsOnlyTriviaWhiteSpaces
    return !ts.isJsxExpression(child) || child.expression !== undefined
  })
}

function isText(child: ts.JsxChild, types: ts.TypeChecker): boolean {
  if (ts.isJsxText(child)) return true
  if (!ts.isJsxExpression(child) || !child.expression) return false
  return mayBeText(types.getTypeAtLocation(child.expression), types)
}

/** Whether React may be given text with it: on its own, or as one of several. */
function mayBeText(type: ts.Type, types: ts.TypeChecker, seen = new Set<ts.Type>()): boolean {
  if (seen.has(type)) return false
  seen.add(type)
  if (type.isUnion()) return type.types.some((each) => mayBeText(each, types, seen))
  // React draws nothing for an empty text.
  if (type.isStringLiteral() && type.value === '') return false
  const text = ts.TypeFlags.StringLike | ts.TypeFlags.NumberLike | ts.TypeFlags.BigIntLike | ts.TypeFlags.Any
  if (type.flags & text) return true
  const item = types.getIndexTypeOfType(type, ts.IndexKind.Number)
  return item !== undefined && mayBeText(item, types, seen)
}

/** Several texts at one place. A value given as `ReactNode` is judged where it is given. */
function isListOfTexts(child: ts.JsxChild, types: ts.TypeChecker): boolean {
  if (!ts.isJsxExpression(child) || !child.expression) return false
  const type = types.getTypeAtLocation(child.expression)
  const parts = type.isUnion() ? type.types : [type]
  return parts.some((each) => types.isArrayLikeType(each) && mayBeText(each, types))
}

function functionAround(node: ts.Node): ts.Node | undefined {
  return ts.findAncestor(node.parent, ts.isFunctionLike)
}

function isComponent(node: ts.Node | undefined): boolean {
  if (!node) return false
  const named = ts.isFunctionDeclaration(node) ? node.name?.text : undefined
  return /^[A-Z]/.test(named ?? '')
}

function isTag(node: ts.Node): node is ts.JsxOpeningElement | ts.JsxSelfClosingElement {
  return ts.isJsxOpeningElement(node) || ts.isJsxSelfClosingElement(node)
}
