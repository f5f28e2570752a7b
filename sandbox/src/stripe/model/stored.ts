import { isPlainObject } from '../shape/plain-object.ts'
import { arrayOf, type Fields, fields, flag, type ObjectOf, oneOf, type Shape, text } from '../shape/shape.ts'

/** The fields of every stored object. Fields that nobody here reads stay unknown; the gate checks them all. */
export type Stored = { id: string; object: string; [field: string]: unknown }

/** A stored object of one kind: its `object` word is Stripe's name for the type. */
export type StoredAs<K extends string> = { id: string; object: K; [field: string]: unknown }

/** The remainder of an object that was deleted. */
export type Deleted<K extends string = string> = { id: string; object: K; deleted: true }

export const storedObject: Shape<Stored> = {
  is: (value): value is Stored =>
    isPlainObject(value) && typeof value.id === 'string' && typeof value.object === 'string',
}

/** The shape of a stored object: what every one has, and the fields that the sandbox reads. */
export function stored<K extends string, F extends Fields>(
  kind: K,
  inside: F,
): Shape<StoredAs<K> & ObjectOf<F>> {
  const known = fields(inside)
  return {
    is: (value): value is StoredAs<K> & ObjectOf<F> =>
      storedObject.is(value) && value.object === kind && known.is(value),
    inside: { id: text, object: oneOf(kind), ...inside },
  }
}

/** An object's own list of others, as Stripe shows it in full. */
export function listOf<T>(shape: Shape<T>) {
  return fields({ object: oneOf('list'), data: arrayOf(shape), has_more: flag, url: text })
}
