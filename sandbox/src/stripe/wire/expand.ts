import type { Kind } from '../model/kinds.ts'
import { invalid } from '../refusals/errors.ts'
import { isPlainObject } from '../shape/plain-object.ts'
import type { Tx } from '../world/world.ts'
import { list } from './lists.ts'

const DEEPEST = 4

/** Fields that Stripe leaves out until they are expanded, and where their objects are filed. */
const ON_REQUEST: Record<string, Record<string, Kind>> = {
  invoice: { payments: 'invoice_payment' },
  'checkout.session': { line_items: 'item' },
  customer: { subscriptions: 'subscription' },
  charge: { refunds: 'refund' },
}

/**
 * Puts whole objects where the answer has ids (docs.stripe.com/api/expanding_objects). Works on a copy.
 * @throws ApiError for a path that leads nowhere or is deeper than four levels
 */
export function expand(tx: Tx, answer: unknown, paths: string[]): unknown {
  if (paths.length === 0) return answer
  const copy = structuredClone(answer)
  for (const path of paths) {
    const steps = path.split('.')
    if (steps.length > DEEPEST)
      throw invalid(
        `You cannot expand more than ${DEEPEST} levels of a property. Property: ${path}`,
        'expand',
      )
    if (!walk(tx, copy, steps)) throw invalid(`This property cannot be expanded (${path}).`, 'expand')
  }
  return copy
}

/** false when the path leads nowhere. A null on the way is fine: there is nothing to expand. */
function walk(tx: Tx, node: unknown, steps: string[]): boolean {
  const [step, ...rest] = steps
  if (step === undefined || node === null) return true
  if (Array.isArray(node)) return node.every((one) => walk(tx, one, steps))
  if (!isPlainObject(node)) return false
  const value = step in node ? node[step] : onRequest(tx, node, step)
  if (value === undefined) return false
  if (value === null) return true
  const whole = Array.isArray(value) ? value.map((one) => resolve(tx, one)) : resolve(tx, value)
  if (rest.length === 0 && whole !== null && typeof whole !== 'object') return false
  node[step] = whole
  return walk(tx, whole, rest)
}

function resolve(tx: Tx, value: unknown): unknown {
  if (typeof value !== 'string') return value
  return tx.objects.look(value) ?? value
}

function onRequest(tx: Tx, node: Record<string, unknown>, step: string): unknown {
  const type = ON_REQUEST[String(node.object)]?.[step]
  if (type === undefined) return OPTIONAL[String(node.object)]?.includes(step) ? null : undefined
  const id = String(node.id)
  const filter = type === 'subscription' ? { equal: { customer: id } } : { parent: id }
  return list(tx.objects.list(type, filter, { limit: 10 }), `/v1/${type}s?${node.object}=${id}`)
}

/** Fields that an object may lack altogether, and that are expandable all the same. */
const OPTIONAL: Record<string, string[]> = {
  charge: ['transfer', 'application_fee', 'on_behalf_of'],
}
