import { endpoints } from '@tradepost/contract/endpoints'
import type { Queryable } from '../platform/database.ts'
import type { ApiDoor } from '../platform/http/api-door.ts'
import { readAccount } from './read-account.ts'
import { setUsername } from './set-username.ts'

export function accountsRoutes(door: ApiDoor, deps: { db: Queryable; pipelined: Queryable }): void {
  door.serve(endpoints.configuration, ({ caller, now }) => readAccount(deps, caller, now))
  door.serve(endpoints.setUsername, async ({ caller, body, now }) => ({
    username: await setUsername(deps, caller, body.username, now),
  }))
}
