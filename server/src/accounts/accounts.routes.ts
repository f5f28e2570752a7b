import { endpoints } from '@tradepost/contract/endpoints'
import type { SecretKey } from '../auth/keys/secret-key.ts'
import type { Queryable } from '../platform/database/queryable.ts'
import type { EndpointRegistry } from '../platform/http/register-endpoints.ts'
import { readAccount } from './read-account.ts'
import { setAbout } from './set-about.ts'
import { setUsername } from './set-username.ts'
import { showFollowers } from './show-followers.ts'
import { switchPositionMails } from './switch-position-mails.ts'
import { switchPublicPage } from './switch-public-page.ts'

export function accountsRoutes(
  api: EndpointRegistry,
  deps: { db: Queryable; pipelined: Queryable; secret: SecretKey },
): void {
  api.serve(endpoints.configuration, ({ caller, now }) => readAccount(deps, caller, now))
  api.serve(endpoints.setUsername, async ({ caller, body, now }) => ({
    username: await setUsername(deps, caller, body.username, now),
  }))
  api.serve(endpoints.switchPublicPage, async ({ caller, body, now }) => ({
    publicPage: await switchPublicPage(deps.db, caller, body.enabled, now),
  }))
  api.serve(endpoints.switchPositionMails, async ({ caller, body, now }) => ({
    positionMails: await switchPositionMails(deps.db, caller, body.enabled, now),
  }))
  api.serve(endpoints.setAbout, async ({ caller, body }) => ({
    about: await setAbout(deps.db, caller, body.about),
  }))
  api.serve(endpoints.showFollowers, async ({ caller, body }) => ({
    followersShown: await showFollowers(deps.db, caller, body.shown),
  }))
}
