import { isPlainObject } from '../gate/check-value.ts'
import type { Params } from './check-request.ts'
import { invalid } from './errors.ts'
import type { Route } from './route.ts'

/** @throws ApiError naming the first parameter that the route does not carry out */
export function refuseUnheeded({ endpoint, reads }: Route, params: Params): void {
  const { expand: _expand, ...given } = params
  const strange = unheeded(given, reads, '')
  if (strange !== null)
    throw invalid(
      `The payments sandbox does not carry out the parameter '${strange}' of ${endpoint}.`,
      strange,
    )
}

/** The path of the first field that `reads` does not name, or null. What is no object has no fields. */
function unheeded(value: unknown, reads: readonly string[], path: string): string | null {
  if (Array.isArray(value))
    return firstOf(value.map((one, index) => unheeded(one, reads, `${path}[${index}]`)))
  if (!isPlainObject(value)) return null
  return firstOf(
    Object.entries(value).map(([name, field]) => {
      const at = path === '' ? name : `${path}[${name}]`
      if (reads.includes(name)) return null
      const inside = reads
        .filter((one) => one.startsWith(`${name}.`))
        .map((one) => one.slice(name.length + 1))
      return inside.length === 0 ? at : unheeded(field, inside, at)
    }),
  )
}

function firstOf(paths: (string | null)[]): string | null {
  return paths.find((path) => path !== null) ?? null
}
