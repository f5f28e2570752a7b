import type { Part } from '../part.ts'
import { startStripe } from './stripe.ts'

/** Stripe as a part of the sandbox: its API under /v1 and /v2, its hosted pages, and the desk at /control. */
export const startPayments: Part = async (app, { clock, host, dataDir }) => {
  const { world } = await startStripe(app, {
    clock,
    host,
    dataDir,
    strict: true,
    secrets: {
      snapshot: process.env.STRIPE_WEBHOOK_SECRET || null,
      thin: process.env.STRIPE_ACCOUNTS_WEBHOOK_SECRET || null,
    },
  })
  return {
    card: {
      title: 'Payments',
      summary: `Speaks Stripe’s API (version ${world.schemas.apiVersion}) to any test key, with its hosted pages and webhooks.`,
      links: [{ href: '/control', text: 'Control desk' }],
    },
  }
}
