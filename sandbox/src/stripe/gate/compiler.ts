import { createRequire } from 'node:module'

/**
 * The small part of the TypeScript compiler's API with which `generate.ts` makes the schema of the Stripe SDK's types. The compiler
 * is a tool of the whole repository and loaded only for that, so the sandbox does not list it as a dependency.
 */
export type TypeNode = {
  readonly kind: number
  readonly name?: { text: string }
  readonly members?: TypeNode[]
}

export type TypeSymbol = {
  readonly name: string
  readonly flags: number
  readonly valueDeclaration?: TypeNode
  readonly declarations?: TypeNode[]
}

export type Type = {
  readonly flags: number
  readonly symbol?: TypeSymbol
  readonly aliasSymbol?: TypeSymbol
  readonly value?: string | number
  /** The name of a type that the language itself has: `true`, `false`. */
  readonly intrinsicName?: string
  readonly types?: Type[]
  isUnion(): boolean
  isIntersection(): boolean
  getCallSignatures(): unknown[]
  getStringIndexType(): Type | undefined
}

export type Checker = {
  getPropertiesOfType(type: Type): TypeSymbol[]
  getTypeOfSymbolAtLocation(symbol: TypeSymbol, place: TypeNode): Type
  getTypeArguments(type: Type): Type[]
  getTypeAtLocation(node: TypeNode): Type
  getFullyQualifiedName(symbol: TypeSymbol): string
  typeToString(type: Type): string
  isArrayType(type: Type): boolean
}

type Compiler = {
  version: string
  TypeFlags: Record<string, number>
  SymbolFlags: Record<string, number>
  ModuleKind: Record<string, number>
  ModuleResolutionKind: Record<string, number>
  ScriptTarget: Record<string, number>
  createCompilerHost(options: unknown): Host
  createSourceFile(name: string, text: string, target: number): unknown
  createProgram(files: string[], options: unknown, host: Host): Program
}

type Host = {
  getSourceFile(name: string, ...rest: unknown[]): unknown
  fileExists(name: string): boolean
  readFile(name: string): string | undefined
}

type Program = {
  getTypeChecker(): Checker
  getSourceFile(name: string): (TypeNode & { statements: TypeNode[] }) | undefined
  getSemanticDiagnostics(file: unknown): { messageText: unknown }[]
}

const load = createRequire(import.meta.url)
const compiler = load('typescript') as Compiler

export const optionalFlag = compiler.SymbolFlags.Optional ?? 0

/** The compiler's bit for a kind of type, as `Union`. @throws when a later compiler no longer has it */
export function flag(name: string): number {
  const value = compiler.TypeFlags[name]
  if (value === undefined) throw new Error(`The TypeScript compiler knows no type flag ${name}.`)
  return value
}

/**
 * Type-checks one source text as if it lay at `path`.
 * @returns the checker, the text's statements, and the whole file as the place at which the checker is asked
 * @throws when the text does not type-check, which is how a type that Stripe removed shows itself
 */
export function check(
  path: string,
  text: string,
): { checker: Checker; statements: TypeNode[]; place: TypeNode } {
  const options = {
    module: compiler.ModuleKind.NodeNext,
    moduleResolution: compiler.ModuleResolutionKind.NodeNext,
    target: compiler.ScriptTarget.ES2023,
    strict: true,
    skipLibCheck: true,
    types: ['node'],
  }
  const host = compiler.createCompilerHost(options)
  const { getSourceFile, fileExists, readFile } = host
  host.fileExists = (name) => name === path || fileExists(name)
  host.readFile = (name) => (name === path ? text : readFile(name))
  host.getSourceFile = (name, ...rest) =>
    name === path
      ? compiler.createSourceFile(path, text, compiler.ScriptTarget.ES2023 ?? 0)
      : getSourceFile(name, ...rest)
  const program = compiler.createProgram([path], options, host)
  const source = program.getSourceFile(path)
  if (source === undefined) throw new Error('The list of types could not be read.')
  const wrong = program.getSemanticDiagnostics(source)
  if (wrong.length > 0) throw new Error(`The SDK lacks a type:\n${wrong.slice(0, 5).map(worded).join('\n')}`)
  return { checker: program.getTypeChecker(), statements: source.statements, place: source }
}

function worded({ messageText }: { messageText: unknown }): string {
  return typeof messageText === 'string' ? messageText : JSON.stringify(messageText).slice(0, 300)
}
