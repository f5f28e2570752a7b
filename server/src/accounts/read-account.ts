import type { Account } from '@tradepost/contract/accounts'
import type { Queryable } from '../platform/database/queryable.ts'
import type { Caller } from '../platform/http/register-endpoints.ts'
import { findAccount, insertAccount } from './accounts.queries.ts'

/** The signed-in account (rule G-07); its row is made at the first look. */
export async function readAccount(
  deps: { db: Queryable; pipelined: Queryable },
  caller: Caller,
  now: Date,
): Promise<Account> {
  let account = await findAccount(deps.pipelined, caller.userId)
  if (!account) {
    await insertAccount(deps.db, caller.userId, now)
    account = await findAccount(deps.pipelined, caller.userId)
  }
  return {
    username: account?.username ?? '',
    trader: account?.trader ?? false,
    customer: account?.customer ?? false,
    email: caller.email,
    publicPage: account?.publicPage ?? false,
    about: account?.about ?? '',
    followersShown: account?.followersShown ?? false,
  }
}
