/**
 * The changes of the web app's build to libraries. Each change looks for what it changes and stops the build when that is no longer there:
 * a library that has moved on must not come through unpatched.
 */
import type { Plugin, Rolldown } from 'vite'

const VAUL_STYLES = 'virtual:vaul.css'
/** One of vaul's rules has an empty pseudo-class: browsers skip it, the minifier stops there. */
const BROKEN_RULE = /\[data-vaul-handle-hitarea\]:\{[^}]*\}/

/**
 * vaul writes its style sheet into the page when imported, which `style-src 'self'` refuses: the same sheet becomes a
 * file of the build.
 */
export function vaulStyles(): Plugin {
  let css = ''
  return {
    name: 'vaul-styles',
    enforce: 'pre',
    resolveId: (id) => (id === VAUL_STYLES ? `\0${VAUL_STYLES}` : null),
    load: (id) => (id === `\0${VAUL_STYLES}` ? css : null),
    transform(code, id) {
      if (!id.includes('/vaul/dist/')) return null
      const taken = takeVaulStyles(code)
      css = taken.css
      return taken.code
    },
    generateBundle() {
      if (isForBrowser(this) && css === '') throw changed('vaul', 'is not where it was')
    },
  }
}

/**
 * @returns the style sheet, and the module with an import in the place of the call that inserts it
 * @throws when the library's module does not insert one style sheet, with the one broken rule, in the way it did
 */
export function takeVaulStyles(code: string): { css: string; code: string } {
  const [call, ...more] = [...code.matchAll(/^__insertCSS\((".*")\);?$/gm)]
  const mentions = code.match(/__insertCSS\(/g)?.length
  if (!call?.[1] || more.length > 0 || mentions !== 2) throw changed('vaul', 'inserts its styles differently')
  const css = JSON.parse(call[1]) as string
  if (!BROKEN_RULE.test(css)) throw changed('vaul', 'lacks the rule that had to be taken out')
  return { css: css.replace(BROKEN_RULE, ''), code: code.replace(call[0], `import '${VAUL_STYLES}';`) }
}

/** Modules of the sign-in library that the product never uses, and what their importers ask of them. */
export const UNUSED_AUTH_MODULES: Readonly<Record<string, readonly string[]>> = {
  'lib/web3/ethereum': ['createSiweMessage', 'fromHex', 'getAddress', 'toHex'],
  'lib/webauthn': [
    'WebAuthnApi',
    'browserSupportsWebAuthn',
    'createCredential',
    'deserializeCredentialCreationOptions',
    'deserializeCredentialRequestOptions',
    'getCredential',
    'serializeCredentialCreationResponse',
    'serializeCredentialRequestResponse',
    'webAuthnAbortService',
  ],
}

/**
 * Public methods of two classes of the sign-in library that the product never calls, by module: other ways to sign in than by a
 * mailed code, reading a token's claims, stopping the client, and what only a server may do. The library calls none of them but from one another.
 */
export const UNUSED_AUTH_METHODS: Readonly<Record<string, readonly string[]>> = {
  GoTrueClient: [
    ...['signUp', 'signInAnonymously', 'signInWithPassword', 'resetPasswordForEmail'],
    ...['signInWithOAuth', 'signInWithSSO', 'signInWithIdToken', 'signInWithWeb3', 'signInWithPasskey'],
    ...['registerPasskey', 'linkIdentity', 'unlinkIdentity', 'getUserIdentities', 'exchangeCodeForSession'],
    ...['setSession', 'getClaims', 'stopAutoRefresh', 'dispose', 'isThrowOnErrorEnabled'],
    // These are private, without the underscore that says so; the last two are what `getClaims` keeps.
    ...['signInWithEthereum', 'signInWithSolana', 'linkIdentityOAuth', 'linkIdentityIdToken', 'fetchJwk'],
    ...['jwks', 'jwks_cached_at'],
  ],
  GoTrueAdminApi: [
    ...['inviteUserByEmail', 'generateLink', 'createUser', 'listUsers', 'getUserById', 'updateUserById'],
    'deleteUser',
  ],
}

/** Fields of the objects of these classes that hand out methods which the product never calls. */
export const UNUSED_AUTH_FIELDS: Readonly<Record<string, readonly string[]>> = {
  GoTrueClient: ['oauth', 'passkey', 'recoveryCodes', 'getAuthenticatorAssuranceLevel'],
  GoTrueAdminApi: ['mfa', 'oauth', 'customProviders', 'passkey'],
}

/**
 * Tests of `if` statements that never hold, by module: the product gives the client no lock, no storage, no place of its own for people, no
 * logger and no wish that it throws, makes one client a page, and stores nothing in a server (web/src/lib/auth-client.ts).
 */
export const UNMET_AUTH_CONDITIONS: Readonly<Record<string, readonly string[]>> = {
  GoTrueClient: [
    ...['settings.lock != null', 'this.lock != null', 'this.lock != null && !this.lockAcquired'],
    ...['settings.userStorage', 'this.userStorage', 'currentSession && this.userStorage'],
    ...['settings.storage', "typeof settings.debug === 'function'", 'this.logDebugMessages'],
    ...['this.throwOnError && result && result.error', 'this.instanceID > 0 && isBrowser()', '!this.jwks'],
    'this.storage.isServer && session.user && !session.user.__isUserNotAvailableProxy',
  ],
}

/**
 * Leaves out what the product never uses of the sign-in client: security keys, crypto wallets, passwords, other
 * providers and settings that it does not set. They are methods of one class, so no bundler can drop them automatically. Private methods that nothing uses then go
 * without being named. A name that a newer version asks for is not exported, or is used by what is left, which stops the build too.
 */
export function slimAuthClient(): Plugin {
  const left = new Set([...Object.keys(UNUSED_AUTH_MODULES), ...Object.keys(UNUSED_AUTH_METHODS)])
  return {
    name: 'slim-auth-client',
    enforce: 'pre',
    transform(code, id) {
      const name = authModule(id)
      const methods = UNUSED_AUTH_METHODS[name]
      if (!methods) return null
      left.delete(name)
      const parse = (text: string) => this.parse(text)
      const met = withoutBranches(code, UNMET_AUTH_CONDITIONS[name] ?? [], parse)
      const fewer = withoutMethods(withoutFields(met, UNUSED_AUTH_FIELDS[name] ?? [], parse), methods, parse)
      const slim = withoutUnusedPrivate(fewer, parse)
      return name === 'GoTrueClient' ? withoutNotes(slim, parse) : slim
    },
    load(id) {
      const name = authModule(id)
      const names = UNUSED_AUTH_MODULES[name]
      if (!names) return null
      left.delete(name)
      return `class Unused {}\nexport { ${names.map((each) => `Unused as ${each}`).join(', ')} }`
    },
    generateBundle() {
      const [lost] = left
      if (isForBrowser(this) && lost) throw changed('@supabase/auth-js', `has no module ${lost}`)
    },
  }
}

function authModule(id: string): string {
  return /@supabase\/auth-js\/dist\/module\/(.+)\.js$/.exec(id)?.[1] ?? ''
}

/** A node of ESTree, with the fields of those kinds that matter here. */
type Node = {
  type: string
  start: number
  end: number
  key?: { name?: string }
  test?: Node
  alternate?: Node | null
  left?: { property?: { name?: string } }
  property?: { name?: string }
  expression?: { callee?: { property?: { name?: string } } }
}

/**
 * @param methods the names of methods of the module's class
 * @param parse to the syntax tree of ESTree
 * @returns the module without them
 * @throws when one of them is not there, or when what is left uses one
 */
function withoutMethods(code: string, methods: readonly string[], parse: (code: string) => object): string {
  const names = (name = '') => methods.includes(name)
  const nodes = nodesIn(parse(code))
  const defined = nodes.filter(({ type, key }) => type === 'MethodDefinition' && names(key?.name))
  const missing = methods.find((name) => !defined.some(({ key }) => key?.name === name))
  if (missing) throw changed('@supabase/auth-js', `has no method ${missing}`)
  const slim = without(code, defined)
  const used = nodesIn(parse(slim)).find(
    ({ type, property }) => type === 'MemberExpression' && names(property?.name),
  )
  if (used) throw changed('@supabase/auth-js', `uses ${slim.slice(used.start, used.end)}`)
  return slim
}

/**
 * @param fields the names of fields of the module's objects, and of the objects that these hold
 * @returns the module without what sets them
 * @throws when one of them is not there
 */
function withoutFields(code: string, fields: readonly string[], parse: (code: string) => object): string {
  return fields.reduce((text, field) => {
    const set = nodesIn(parse(text)).find(
      ({ type, key, left }) =>
        (type === 'AssignmentExpression' && left?.property?.name === field) ||
        (type === 'Property' && key?.name === field),
    )
    if (!set) throw changed('@supabase/auth-js', `has no field ${field}`)
    // What stands behind an entry of an object separates it from the next one.
    const end =
      set.type === 'Property' ? set.end + (/^\s*,/.exec(text.slice(set.end))?.[0].length ?? 0) : set.end
    return without(text, [{ ...set, end }])
  }, code)
}

/**
 * @param conditions tests of `if` statements, as they are written
 * @returns the module with the other branch in the place of each of these statements; one inside such a branch stays
 * @throws when one of them is not there
 */
function withoutBranches(
  code: string,
  conditions: readonly string[],
  parse: (code: string) => object,
): string {
  const textOf = (node: Node | undefined) => code.slice(node?.start, node?.end)
  const all = nodesIn(parse(code)).filter(
    ({ type, test }) => type === 'IfStatement' && conditions.includes(textOf(test)),
  )
  const missing = conditions.find((condition) => !all.some(({ test }) => textOf(test) === condition))
  if (missing) throw changed('@supabase/auth-js', `has no test ${missing}`)
  const outermost = all.filter(({ start }) => !all.some((other) => other.start < start && start < other.end))
  return outermost
    .sort((a, b) => b.start - a.start)
    .reduce(
      (text, { start, end, alternate }) =>
        text.slice(0, start) + (alternate ? textOf(alternate) : ';') + text.slice(end),
      code,
    )
}

/** @returns the module without the private methods that nothing in it uses */
function withoutUnusedPrivate(code: string, parse: (code: string) => object): string {
  const nodes = nodesIn(parse(code))
  const uses = nodes.filter(({ type }) => type === 'MemberExpression')
  const unused = nodes.filter(
    ({ type, key, start, end }) =>
      type === 'MethodDefinition' &&
      key?.name?.startsWith('_') &&
      uses.every((use) => use.property?.name !== key.name || (use.start > start && use.end < end)),
  )
  return unused.length === 0 ? code : withoutUnusedPrivate(without(code, unused), parse)
}

function without(code: string, nodes: readonly Node[]): string {
  return nodes
    .toSorted((a, b) => b.start - a.start)
    .reduce((text, { start, end }) => text.slice(0, start) + text.slice(end), code)
}

/**
 * @returns the module without its notes for debugging: seventy sentences that no browser is asked to print
 * @throws when it notes nothing in this way
 */
function withoutNotes(code: string, parse: (code: string) => object): string {
  const notes = nodesIn(parse(code)).filter(
    ({ type, expression }) =>
      type === 'ExpressionStatement' && expression?.callee?.property?.name === '_debug',
  )
  if (notes.length === 0) throw changed('@supabase/auth-js', 'notes nothing by _debug')
  // An empty statement stays: the note may be all that a condition is for.
  return notes
    .sort((a, b) => b.start - a.start)
    .reduce((text, { start, end }) => `${text.slice(0, start)};${text.slice(end)}`, code)
}

/** Every node of a syntax tree. */
function nodesIn(tree: unknown): Node[] {
  if (typeof tree !== 'object' || tree === null) return []
  const inside = Object.values(tree).flatMap(nodesIn)
  return 'type' in tree && 'start' in tree ? [tree as Node, ...inside] : inside
}

/**
 * Puts a file of ours in the place of react-remove-scroll, which vaul's dialog uses: it writes style elements, which the
 * policy refuses.
 * @param file its path
 */
export function replaceRemoveScroll(file: string): Plugin {
  return {
    name: 'replace-remove-scroll',
    config: () => ({ resolve: { alias: { 'react-remove-scroll': file } } }),
    generateBundle() {
      if (isForBrowser(this) && !this.getModuleInfo(file))
        throw changed('@radix-ui/react-dialog', 'does not use react-remove-scroll')
    },
  }
}

/** The other build, of the prerendered pages, leaves libraries outside. */
function isForBrowser({ environment }: Pick<Rolldown.PluginContext, 'environment'>): boolean {
  return environment.config.consumer === 'client'
}

function changed(library: string, how: string): Error {
  return new Error(`${library} ${how}: look at its patch in scripts/library-patches.ts again`)
}
