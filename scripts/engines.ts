import { findOnPath, installPackages } from './chromium.ts'

/** Browsers beside Chromium in which the main journey runs, each with another engine (e2e/engines.spec.ts). */
const ENGINES = {
  Firefox: { programs: ['firefox-esr', 'firefox'], beside: [], packages: ['firefox-esr'] },
  // WebKit as GNOME builds it wants a display.
  WebKit: { programs: ['WebKitWebDriver'], beside: ['Xvfb'], packages: ['webkit2gtk-driver', 'xvfb'] },
} as const

export type EngineName = keyof typeof ENGINES
export const ENGINE_NAMES = Object.keys(ENGINES) as EngineName[]

/** The program that is started for an engine; null where it, or what it needs, is not here. */
export function findEngine(name: EngineName): string | null {
  const { beside, programs } = ENGINES[name]
  if (beside.some((program) => findOnPath(program) === null)) return null
  return programs.map(findOnPath).find((path) => path !== null) ?? null
}

/** Finds the engines or installs them, where Debian's packages can be had. @returns a sentence for each that is not here */
export function ensureEngines(): string[] {
  return ENGINE_NAMES.flatMap((name) => {
    if (findEngine(name) !== null) return []
    installPackages([...ENGINES[name].packages])
    if (findEngine(name) !== null) return []
    return [
      `The main journey in ${name}: it is not here. On Debian: apt-get install ${ENGINES[name].packages.join(' ')}`,
    ]
  })
}
