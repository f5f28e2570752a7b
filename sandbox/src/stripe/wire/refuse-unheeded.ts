import { invalid } from '../refusals/errors.ts'
import { isPlainObject } from '../shape/plain-object.ts'
import type { Fields } from '../shape/shape.ts'
import type { Params } from './check-request.ts'
import type { Route } from './route.ts'

/** @throws ApiError naming the first parameter that the route does not carry out */
export function refuseUnheeded({ endpoint, takes }: Route, params: Params): void {
  const { expand: _expand, ...given } = params
  const strange = unheeded(given, takes, '')
  if (strange !== null)
    throw invalid(
      `The payments sandbox does not carry out the parameter '${strange}' of ${endpoint}.`,
      strange,
    )
}

/** The path of the first field that is not among these, or null. Only objects have fields. */
function unheeded(value: unknown, takes: Fields, path: string): string | null {
  if (Array.isArray(value))
    return firstOf(value.map((one, index) => unheeded(one, takes, `${path}[${index}]`)))
  if (!isPlainObject(value)) return null
  return firstOf(
    Object.entries(value).map(([name, field]) => {
      const at = path === '' ? name : `${path}[${name}]`
      const taken = Object.hasOwn(takes, name) ? takes[name] : undefined
      if (taken === undefined) return at
      return taken.inside === undefined ? null : unheeded(field, taken.inside, at)
    }),
  )
}

function firstOf(paths: (string | null)[]): string | null {
  return paths.find((path) => path !== null) ?? null
}
