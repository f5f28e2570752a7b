import { isPlainObject } from '../shape/plain-object.ts'
import { checkValue, type Problem } from './check-value.ts'
import { root, type Schemas } from './schema.ts'

/**
 * Lists the differences between an answer of the API and the SDK's types. The answer's own `object` word picks the type, as it
 * does for the SDK's users; lists and search results are checked item by item.
 */
export function checkAnswer(schemas: Schemas, answer: unknown): Problem[] {
  if (!isPlainObject(answer)) return [{ path: '', kind: 'type', expected: 'object' }]
  if (isV1List(answer)) return listProblems(schemas, answer, ['data', 'has_more', 'object', 'url'])
  if (isV2List(answer)) return listProblems(schemas, answer, ['data', 'next_page_url', 'previous_page_url'])
  const name = String(answer.object)
  if (answer.object === 'v2.core.event')
    return checkValue(schemas, root(schemas, `v2event:${answer.type}`), answer)
  if (answer.object === 'event') return checkEvent(schemas, answer)
  // v2 marks a deletion by sending nothing but the id and the type.
  const isDeletion = answer.deleted === true || Object.keys(answer).sort().join() === 'id,object'
  const kind = isDeletion ? 'deleted' : 'object'
  const schema = schemas.roots[`${kind}:${name}`]
  if (schema === undefined)
    return [{ path: 'object', kind: 'type', expected: 'an object type the gate knows' }]
  return checkValue(schemas, schema, answer)
}

/** Lists the differences between a webhook's body and the type of its event. */
export function checkEvent(schemas: Schemas, event: unknown): Problem[] {
  if (!isPlainObject(event)) return [{ path: '', kind: 'type', expected: 'object' }]
  const kind = event.object === 'v2.core.event' ? 'notification' : 'event'
  const schema = schemas.roots[`${kind}:${event.type}`]
  if (schema === undefined) return [{ path: 'type', kind: 'type', expected: 'an event type the gate knows' }]
  return checkValue(schemas, schema, event)
}

/** The problems in words, for an error message. */
export function worded(problems: Problem[]): string {
  return problems
    .slice(0, 12)
    .map(({ path, kind, expected }) => `${path || '(top)'}: ${kind}, expected ${expected}`)
    .join('\n')
}

type AnyList = Record<string, unknown> & { data: unknown[] }

function isV1List(answer: Record<string, unknown>): answer is AnyList {
  return answer.object === 'list' && Array.isArray(answer.data)
}

function isV2List(answer: Record<string, unknown>): answer is AnyList {
  return answer.object === undefined && Array.isArray(answer.data)
}

function listProblems(schemas: Schemas, answer: AnyList, names: string[]): Problem[] {
  const extra = Object.keys(answer).filter((name) => !names.includes(name))
  const needed = answer.object === 'list' ? names : ['data']
  const missing = needed.filter((name) => answer[name] === undefined)
  return [
    ...extra.map((path): Problem => ({ path, kind: 'unknown', expected: 'no such field' })),
    ...missing.map((path): Problem => ({ path, kind: 'missing', expected: 'a value' })),
    ...answer.data.flatMap((one, index) =>
      checkAnswer(schemas, one).map((problem) => ({ ...problem, path: `data[${index}].${problem.path}` })),
    ),
  ]
}
