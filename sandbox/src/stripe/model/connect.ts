import {
  arrayOf,
  fields,
  flag,
  number,
  type Of,
  oneOf,
  optional,
  record,
  recordOf,
  text,
} from '../shape/shape.ts'
import { stored } from './stored.ts'

const capabilityStatus = oneOf('active', 'pending', 'rejected', 'restricted', 'unsupported')
export type CapabilityStatus = Of<typeof capabilityStatus>

const statusDetail = fields({ code: text, resolution: text })
export type StatusDetail = Of<typeof statusDetail>

const recipient = fields({
  applied: flag,
  capabilities: fields({
    stripe_balance: fields({
      stripe_transfers: fields({ status: capabilityStatus, status_details: arrayOf(statusDetail) }),
    }),
  }),
})

export const account = stored('v2.core.account', {
  applied_configurations: arrayOf(text),
  closed: flag,
  contact_email: optional(text),
  display_name: optional(text),
  dashboard: optional(text),
  metadata: recordOf(text),
  defaults: record,
  identity: record,
  configuration: fields({ recipient: optional(recipient) }),
  requirements: fields({ entries: arrayOf(record), summary: optional(record) }),
})
export type Account = Of<typeof account>

/** The sandbox's own note on an account: the state that it was moved to last. */
export const accountNotes = fields({ state: optional(text) })

/** The platform's own account. */
export const platformAccount = stored('account', {})

const ticketFields = {
  account: text,
  use_case: text,
  expires: number,
  used: flag,
  refresh_url: text,
  return_url: text,
}

/** A page address that carries its own right: kept under its secret, opened once or until it expires. */
export const ticket = stored('sandbox.onboarding', ticketFields)
export type Ticket = Of<typeof ticket>

/** The visit that an onboarding link opened, until the person leaves. */
export const onboardingVisit = stored('sandbox.visit', ticketFields)

/** A way into an account's dashboard, for a few minutes. */
export const login = stored('sandbox.login', { account: text, expires: number, used: flag })
export type Login = Of<typeof login>
