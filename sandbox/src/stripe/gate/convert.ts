import { type Checker, flag, optionalFlag, type Type, type TypeNode } from './compiler.ts'
import type { Schema } from './schema.ts'

const DECIMAL: Schema = { type: 'string', pattern: '^-?\\d+(\\.\\d+)?$' }
const ANYTHING: Schema = {}

/** A conversion under way: each named or anonymous object type becomes one definition, so that cycles end. */
type Conversion = {
  checker: Checker
  place: TypeNode
  names: Map<Type, string>
  $defs: Record<string, Schema>
}

export type Converter = { convert(type: Type): Schema; $defs: Record<string, Schema> }

/** Turns types into JSON Schema. @param place where in the program the types are looked at */
export function makeConverter(checker: Checker, place: TypeNode): Converter {
  const conversion: Conversion = { checker, place, names: new Map(), $defs: {} }
  return { convert: (type) => convert(conversion, type), $defs: conversion.$defs }
}

function convert(under: Conversion, type: Type): Schema {
  return simple(type) ?? compound(under, type)
}

function compound(under: Conversion, type: Type): Schema {
  const { checker } = under
  if (isDecimal(type)) return DECIMAL
  if (type.isUnion()) return union(under, type.types ?? [])
  if (type.isIntersection()) return intersection(under, type.types ?? [])
  if (checker.isArrayType(type))
    return { type: 'array', items: convert(under, first(checker.getTypeArguments(type))) }
  if (type.flags & flag('Object')) return object(under, type)
  throw new Error(`The generator cannot express ${checker.typeToString(type)}.`)
}

function union(under: Conversion, types: Type[]): Schema {
  const present = types.filter((one) => !(one.flags & flag('Undefined')))
  const words = present.filter((one) => one.flags & flag('StringLiteral')).map((one) => String(one.value))
  const booleans = present.filter((one) => one.flags & flag('BooleanLiteral'))
  const open = words.length > 0
  const others = present.filter(
    (one) => !(one.flags & (flag('StringLiteral') | flag('BooleanLiteral'))) && !(open && isOtherString(one)),
  )
  const branches: Schema[] = []
  if (words.length > 0) branches.push({ type: 'string', enum: words })
  if (booleans.length > 0)
    branches.push(booleans.length === 2 ? { type: 'boolean' } : convert(under, first(booleans)))
  branches.push(...others.map((one) => convert(under, one)))
  return branches.length === 1 ? first(branches) : { anyOf: branches }
}

function intersection(under: Conversion, types: Type[]): Schema {
  if (types.some((one) => one.symbol?.name === 'DecimalImpl')) return DECIMAL
  if (types.some((one) => one.flags & flag('String'))) return { type: 'string' }
  return { allOf: types.map((one) => convert(under, one)) }
}

function object(under: Conversion, type: Type): Schema {
  const { names, $defs } = under
  const name = type.symbol?.name
  if (name === 'Date' || name === 'Buffer' || name === 'Uint8Array') return ANYTHING
  if (type.getCallSignatures().length > 0) return ANYTHING
  const known = names.get(type)
  if (known !== undefined) return { $ref: `#/$defs/${known}` }
  const fresh = freshName(under, type)
  names.set(type, fresh)
  $defs[fresh] = {}
  $defs[fresh] = members(under, type)
  return { $ref: `#/$defs/${fresh}` }
}

function members(under: Conversion, type: Type): Schema {
  const { checker, place } = under
  const properties: Record<string, Schema> = {}
  const required: string[] = []
  for (const property of checker.getPropertiesOfType(type)) {
    if (property.name === 'lastResponse') continue
    const where = property.valueDeclaration ?? property.declarations?.[0] ?? place
    const value = checker.getTypeOfSymbolAtLocation(property, where)
    if (value.getCallSignatures().length > 0) continue
    properties[property.name] = convert(under, value)
    if (!(property.flags & optionalFlag)) required.push(property.name)
  }
  const index = type.getStringIndexType()
  return {
    type: 'object',
    properties,
    ...(required.length > 0 && { required }),
    additionalProperties: index === undefined ? false : convert(under, index),
  }
}

function freshName({ checker, $defs }: Conversion, type: Type): string {
  const symbol = type.symbol
  const own =
    symbol === undefined || symbol.name === '__type' ? 'anonymous' : checker.getFullyQualifiedName(symbol)
  const plain = own
    .replace(/^".*\/(esm|cjs)\//, '')
    .replace(/"/g, '')
    .replace(/[^\w.-]/g, '_')
  let name = plain
  for (let count = 2; name in $defs; count++) name = `${plain}-${count}`
  return name
}

function simple(type: Type): Schema | null {
  const { flags } = type
  if (flags & (flag('Any') | flag('Unknown'))) return ANYTHING
  if (flags & (flag('StringLiteral') | flag('NumberLiteral'))) return { const: type.value ?? '' }
  if (flags & flag('BooleanLiteral')) return { const: nameOfBoolean(type) }
  if (flags & (flag('String') | flag('TemplateLiteral'))) return { type: 'string' }
  if (flags & (flag('BigInt') | flag('BigIntLike'))) return { type: 'string', pattern: '^-?\\d+$' }
  if (flags & flag('Number')) return { type: 'number' }
  if (flags & flag('Boolean')) return { type: 'boolean' }
  if (flags & flag('Null')) return { type: 'null' }
  if (flags & (flag('Undefined') | flag('Void') | flag('Never'))) return { not: {} }
  return null
}

function nameOfBoolean(type: Type): boolean {
  return type.intrinsicName === 'true'
}

/** `string & Record<never, never>`: the SDK's mark of an enum that may grow. The sandbox sends known members only. */
function isOtherString(type: Type): boolean {
  return type.isIntersection() && (type.types ?? []).some((one) => one.flags & flag('String'))
}

function isDecimal(type: Type): boolean {
  return [type.symbol?.name, type.aliasSymbol?.name].some(
    (name) => name === 'Decimal' || name === 'DecimalImpl',
  )
}

function first<T>(list: readonly T[]): T {
  const [one] = list
  if (one === undefined) throw new Error('A type without its parts.')
  return one
}
