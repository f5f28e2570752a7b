import type { Address, TaxSettings } from '../model/tax.ts'
import { inaccessible, invalid } from '../refusals/errors.ts'
import { fields, optional, text } from '../shape/shape.ts'
import { type Call, type CallWith, type Route, route } from '../wire/route.ts'
import type { Tx } from '../world/world.ts'
import { ADDRESS, wholeAddress } from './location.ts'

/** The platform, beside connected accounts under their ids. */
const PLATFORM = 'platform'

/** The platform's head office until somebody sets another. */
const HEAD_OFFICE: Address = {
  city: 'San Francisco',
  country: 'US',
  line1: '1 Market Street',
  line2: null,
  postal_code: '94105',
  state: 'CA',
}

const UPDATE = {
  defaults: optional(fields({ tax_behavior: optional(text), tax_code: optional(text) })),
  head_office: optional(fields({ address: ADDRESS })),
}

export const taxSettingsRoutes: Route[] = [
  route('GET /v1/tax/settings', {}, (call) => shown(settingsOf(call.tx, named(call))), { forAccounts: true }),
  route('POST /v1/tax/settings', UPDATE, update, { forAccounts: true }),
  route('GET /v1/tax_rates/:id', {}, ({ tx, id }) => tx.need('tax_rate', id)),
]

function named({ tx, onBehalfOf }: Call<unknown>): string | null {
  if (onBehalfOf !== null && tx.objects.find('v2.core.account', onBehalfOf) === null)
    throw inaccessible(onBehalfOf)
  return onBehalfOf
}

function update(call: CallWith<typeof UPDATE>): unknown {
  const { tx, params } = call
  const account = named(call)
  const { tax_behavior, tax_code } = params.defaults ?? {}
  const office = params.head_office
  const settings = settingsOf(tx, account)
  tx.change(settings, {
    tax_behavior: tax_behavior ?? settings.tax_behavior,
    tax_code: tax_code ?? settings.tax_code,
  })
  if (office !== undefined) setHeadOffice(tx, account, wholeAddress(office.address))
  return shown(settingsOf(tx, account))
}

/** @param account null for the platform; @param office null takes it away, so that the settings are pending */
export function setHeadOffice(tx: Tx, account: string | null, office: Address | null): void {
  if (office !== null && office.country === null)
    throw invalid(
      'Missing required param: head_office[address][country].',
      'head_office[address][country]',
      'parameter_missing',
    )
  tx.change(settingsOf(tx, account), { head_office: office })
}

/** Gives the platform its head office, or takes it away. */
export function setPlatformActive(tx: Tx, active: boolean): void {
  setHeadOffice(tx, null, active ? HEAD_OFFICE : null)
}

/** The settings of an account, stored from here on: active for the platform, pending for a connected account until it has a head office. */
export function settingsOf(tx: Tx, account: string | null): TaxSettings {
  const id = `tax-settings-${account ?? PLATFORM}`
  const found = tx.objects.find('sandbox.tax-settings', id)
  if (found !== null) return found
  const made: TaxSettings = {
    id,
    object: 'sandbox.tax-settings',
    tax_behavior: null,
    tax_code: null,
    head_office: account === null ? HEAD_OFFICE : null,
  }
  tx.add(made)
  return made
}

/** Settings with a head office are active: the sandbox asks for nothing else (docs.stripe.com/tax/settings-api). */
export function isActive({ head_office }: TaxSettings): boolean {
  return head_office !== null
}

function shown(settings: TaxSettings): unknown {
  const { tax_behavior, tax_code, head_office } = settings
  return {
    object: 'tax.settings',
    defaults: { provider: 'stripe', tax_behavior, tax_code },
    head_office: head_office === null ? null : { address: head_office },
    livemode: false,
    status: isActive(settings) ? 'active' : 'pending',
    status_details: isActive(settings) ? { active: {} } : { pending: { missing_fields: ['head_office'] } },
  }
}
