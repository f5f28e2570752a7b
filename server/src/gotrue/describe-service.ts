import { VERSION } from '../platform/release.ts'

/** Ways in that GoTrue's clients ask about and this service does not offer. */
const PROVIDERS_NOT_OFFERED =
  'anonymous_users apple azure bitbucket discord facebook figma fly github gitlab google kakao keycloak linkedin linkedin_oidc notion phone slack slack_oidc snapchat spotify twitch twitter workos zoom'.split(
    ' ',
  )

/** GET /auth/v1/settings: how people can sign in here. */
export function describeSettings() {
  return {
    external: { ...Object.fromEntries(PROVIDERS_NOT_OFFERED.map((name) => [name, false])), email: true },
    disable_signup: false,
    mailer_autoconfirm: false,
    phone_autoconfirm: false,
    sms_provider: '',
    saml_enabled: false,
    passkeys_enabled: false,
  }
}

/** GET /auth/v1/health; the name is what clients of this wire expect. */
export function describeHealth() {
  return {
    version: `v${VERSION}`,
    name: 'GoTrue',
    description: "Tradepost's sign-in service, on GoTrue's wire",
  }
}
