import { isPlainObject } from './plain-object.ts'

/**
 * The shape of a value. Everything that comes from outside the program (rows of the database, stored objects,
 * parameters of a request) gets its type by passing one, and no other way.
 */
export type Shape<T> = {
  is(value: unknown): value is T
  /** For an object, or a list of objects: the shape of each field that is named. Others may be there, and stay unknown. */
  readonly inside?: Fields
  /** The field may be left out. */
  readonly mayLack?: true
}

export type Fields = { readonly [name: string]: Shape<unknown> }

/** The type that a shape stands for. */
export type Of<S> = S extends { is(value: unknown): value is infer T } ? T : never

type Lackable<F extends Fields> = { [K in keyof F]: F[K] extends { mayLack: true } ? K : never }[keyof F]

/** The type of an object with these fields. */
export type ObjectOf<F extends Fields> = { [K in Exclude<keyof F, Lackable<F>>]: Of<F[K]> } & {
  [K in Lackable<F>]?: Of<F[K]>
}

export const anything: Shape<unknown> = { is: (_value): _value is unknown => true }
export const text: Shape<string> = { is: (value) => typeof value === 'string' }
export const number: Shape<number> = { is: (value) => typeof value === 'number' }
export const flag: Shape<boolean> = { is: (value) => typeof value === 'boolean' }
/** An object of fields that nobody here knows by name. */
export const record: Shape<Record<string, unknown>> = { is: isPlainObject }

/** An object whose fields all have this shape. */
export function recordOf<T>(shape: Shape<T>): Shape<Record<string, T>> {
  return {
    is: (value): value is Record<string, T> =>
      isPlainObject(value) && Object.values(value).every((field) => shape.is(field)),
  }
}

/** One of these words, or numbers. */
export function oneOf<const W extends string | number | boolean>(...words: readonly W[]): Shape<W> {
  return { is: (value): value is W => words.some((word) => word === value) }
}

/** Either of two shapes. */
export function either<A, B>(left: Shape<A>, right: Shape<B>): Shape<A | B> {
  return { is: (value): value is A | B => left.is(value) || right.is(value), ...insideOf(left, right) }
}

export function nullable<T>(shape: Shape<T>): Shape<T | null> {
  return { is: (value): value is T | null => value === null || shape.is(value), ...insideOf(shape) }
}

export function optional<T>(shape: Shape<T>): Shape<T | undefined> & { mayLack: true } {
  return {
    is: (value): value is T | undefined => value === undefined || shape.is(value),
    mayLack: true,
    ...insideOf(shape),
  }
}

export function arrayOf<T>(shape: Shape<T>): Shape<T[]> {
  return {
    is: (value): value is T[] => Array.isArray(value) && value.every((one) => shape.is(one)),
    ...insideOf(shape),
  }
}

/** An object with at least these fields. */
export function fields<F extends Fields>(inside: F): Shape<ObjectOf<F>> {
  const known = Object.entries(inside)
  return {
    is: (value): value is ObjectOf<F> =>
      isPlainObject(value) && known.every(([name, shape]) => shape.is(value[name])),
    inside,
  }
}

/** The same shape without its fields: a route that takes such a parameter takes every field in it. */
export function whole<T>(shape: Shape<T>): Shape<T> {
  return { is: (value): value is T => shape.is(value) }
}

function insideOf(...shapes: Shape<unknown>[]): { inside?: Fields } {
  const inside = shapes.find((shape) => shape.inside !== undefined)?.inside
  return inside === undefined ? {} : { inside }
}

/**
 * Gives a value its type.
 * @param what names the value in the error
 * @throws Error naming the first field that differs: a value that this program made itself has another shape than it claims
 */
export function readAs<T>(shape: Shape<T>, value: unknown, what: string): T {
  if (shape.is(value)) return value
  throw new Error(`${what} is not as it should be: ${differing(shape, value)}`)
}

/** The path of the first field that has another shape. */
function differing(shape: Shape<unknown>, value: unknown): string {
  if (!isPlainObject(value) || shape.inside === undefined) return 'the whole of it'
  const [name, field] = Object.entries(shape.inside).find(([at, one]) => !one.is(value[at])) ?? []
  if (name === undefined || field === undefined) return 'the whole of it'
  const deeper = differing(field, value[name])
  return deeper === 'the whole of it' ? name : `${name}.${deeper}`
}
