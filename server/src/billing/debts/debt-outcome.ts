import type { Queryable } from '../../platform/database/queryable.ts'
import type { BillingDeps } from '../provider/billing-deps.ts'
import type { Debt } from './debts.queries.ts'

/** Only somebody else's act lets a debt be settled. @property error why, as the operator's list shows it */
export type Waits = { kind: 'waits'; error: string; pauseMs: number }

/**
 * The outcome of settling a debt. `settled`: it is done; `cents` is what was moved (0 when nothing was left to move), null for
 * a kind of debt that moves no money.
 */
export type DebtOutcome = { kind: 'settled'; cents: number | null } | Waits

export const NO_MONEY_MOVES: DebtOutcome = { kind: 'settled', cents: null }
export const NOTHING_LEFT: DebtOutcome = { kind: 'settled', cents: 0 }
export const BANK_DECIDES: Waits = { kind: 'waits', error: 'charge_disputed', pauseMs: 6 * 3_600_000 }

export type Act = (deps: BillingDeps, tx: Queryable, debt: Debt, now: Date) => Promise<DebtOutcome>
