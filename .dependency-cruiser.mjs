/** How dependency-cruiser reads the sources; the rules are those of scripts/layers.ts. */
import { RULES } from './scripts/layers.ts'

export default {
  forbidden: RULES,
  options: {
    doNotFollow: { path: 'node_modules' },
    tsConfig: { fileName: 'tsconfig.json' },
    tsPreCompilationDeps: true,
    enhancedResolveOptions: {
      exportsFields: ['exports'],
      conditionNames: ['import', 'types', 'default'],
      extensions: ['.ts', '.tsx', '.js', '.mjs'],
    },
  },
}
