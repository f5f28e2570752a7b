import ts from 'typescript'

/** A union, an optional value or a truth value in a function's parameters, and how many alternatives it has. */
type Choice = { path: string; alternatives: number }

/** @property given alternatives for types by their name, instead of made ones */
export type Samples = { checker: ts.TypeChecker; given: Readonly<Record<string, readonly unknown[]>> }

const DEEPEST = 7
/** Alternatives of one parameter that are tried; a union of more is one of names, of which a few are enough. */
const MOST_ALTERNATIVES = 12
/** A type that holds itself, as JSON does, has choices without an end. */
const MOST_LISTS = 60

/**
 * Arguments by the types of a function's parameters: one list in which each choice takes its first alternative, one for each other
 * alternative of each choice, and one in which each takes its last. A value does not matter; a statement may depend on its shape.
 */
export function sampleArguments(samples: Samples, signature: ts.Signature): unknown[][] {
  const choices = new Map<string, Choice>()
  const make = (chosen: (choice: Choice) => number): unknown[] =>
    signature.getParameters().map((parameter, nth) => {
      const declaration = parameter.valueDeclaration
      if (!declaration) throw new Error(`A parameter without a declaration: ${parameter.name}`)
      const type = samples.checker.getTypeOfSymbolAtLocation(parameter, declaration)
      return new Sampler(samples, (choice) => {
        choices.set(choice.path, choice)
        return chosen(choice)
      }).of(type, String(nth))
    })
  const first = make(() => 0)
  const tried = new Set<string>()
  const others: unknown[][] = []
  // An alternative may bring choices of its own: they are met while it is tried.
  for (const { path, alternatives } of choices.values())
    for (let nth = 1; nth < Math.min(alternatives, MOST_ALTERNATIVES); nth += 1) {
      if (tried.has(`${path} ${nth}`) || tried.size >= MOST_LISTS) continue
      tried.add(`${path} ${nth}`)
      others.push(make((choice) => (path === choice.path ? nth : path.startsWith(`${choice.path}|`) ? 1 : 0)))
    }
  return [first, ...others, make(({ alternatives }) => alternatives - 1)]
}

class Sampler {
  readonly #samples: Samples
  readonly #choose: (choice: Choice) => number

  constructor(samples: Samples, choose: (choice: Choice) => number) {
    this.#samples = samples
    this.#choose = choose
  }

  of(type: ts.Type, path: string, depth = 0): unknown {
    const { checker, given } = this.#samples
    const names = [type.aliasSymbol?.name, type.symbol?.name]
    for (const name of names)
      if (name !== undefined && Object.hasOwn(given, name)) return this.#among(given[name] ?? [], path)
    if (type.isUnion()) return this.#one(type.types, path, depth)
    if (type.isStringLiteral() || type.isNumberLiteral()) return type.value
    if (type.flags & ts.TypeFlags.BooleanLiteral) return checker.typeToString(type) === 'true'
    if (type.flags & ts.TypeFlags.StringLike) return '1'
    if (type.flags & ts.TypeFlags.NumberLike) return 1
    if (type.flags & ts.TypeFlags.BigIntLike) return 1n
    if (type.flags & (ts.TypeFlags.Undefined | ts.TypeFlags.Void)) return undefined
    if (type.flags & ts.TypeFlags.Null) return null
    if (type.isTypeParameter()) return this.of(type.getConstraint() ?? checker.getUnknownType(), path, depth)
    return this.#object(type, path, depth)
  }

  #among(alternatives: readonly unknown[], path: string): unknown {
    if (alternatives.length === 1) return alternatives[0]
    return alternatives[this.#choose({ path, alternatives: alternatives.length })]
  }

  #one(types: readonly ts.Type[], path: string, depth: number): unknown {
    const index = this.#choose({ path, alternatives: types.length })
    // The compiler lists what may be missing first.
    const ordered = types.toSorted((one, other) => Number(isMissing(one)) - Number(isMissing(other)))
    const type = ordered[Math.min(index, types.length - 1)]
    return type && this.of(type, `${path}|${index}`, depth)
  }

  #object(type: ts.Type, path: string, depth: number): unknown {
    const { checker, given } = this.#samples
    const name = type.symbol?.name
    if (depth > DEEPEST) return undefined
    // A connection, or the part of one that a function needs: the types of the library's own are without an end.
    if (type.getProperty('query') && Object.hasOwn(given, 'Client'))
      return this.#among(given.Client ?? [], path)
    const inside = (nth: number) => {
      const one = checker.getTypeArguments(type as ts.TypeReference)[nth]
      return one && this.of(one, `${path}[${nth}]`, depth + 1)
    }
    if (checker.isTupleType(type))
      return checker
        .getTypeArguments(type as ts.TypeReference)
        .map((one, nth) => this.of(one, `${path}[${nth}]`, depth + 1))
    if (checker.isArrayType(type)) return this.#among([[inside(0)], [inside(0), inside(0)]], path)
    if (name === 'Date') return new Date(0)
    if (name === 'Buffer' || name === 'Uint8Array') return Buffer.from('1')
    if (name === 'Set' || name === 'ReadonlySet') return new Set([inside(0)])
    if (name === 'Map' || name === 'ReadonlyMap') return new Map([[inside(0), inside(1)]])
    const [call] = type.getCallSignatures()
    if (call) return () => this.of(call.getReturnType(), `${path}()`, depth + 1)
    const made: Record<string, unknown> = {}
    for (const property of type.getProperties()) {
      const declared = checker.getTypeOfSymbol(property)
      made[property.name] = this.of(declared, `${path}.${property.name}`, depth + 1)
    }
    const index = checker.getIndexTypeOfType(type, ts.IndexKind.String)
    if (index) made.one = this.of(index, `${path}.one`, depth + 1)
    return made
  }
}

function isMissing({ flags }: ts.Type): boolean {
  return (flags & (ts.TypeFlags.Null | ts.TypeFlags.Undefined)) !== 0
}
