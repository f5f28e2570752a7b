import ts from 'typescript'

/** A place in a source at which a test either was or was not; `at` is where `hit(id)` goes, `wrap` for an expression. */
export type Site = { start: number; end: number; wrap: boolean }

export function parse(file: string, text: string): ts.SourceFile {
  return ts.createSourceFile(file, text, ts.ScriptTarget.Latest, true)
}

/**
 * The places of a source that are recorded, outermost first: every statement that does something, and every arrow function
 * without a block. The first, the whole file, stands for its being loaded.
 */
export function sitesOf(source: ts.SourceFile): Site[] {
  const sites: Site[] = [{ start: 0, end: source.end, wrap: false }]
  const visit = (node: ts.Node) => {
    if (isRecordedStatement(node)) sites.push({ start: node.getStart(), end: node.end, wrap: false })
    if (ts.isArrowFunction(node) && !ts.isBlock(node.body))
      sites.push({ start: node.body.getStart(), end: node.body.end, wrap: true })
    ts.forEachChild(node, visit)
  }
  ts.forEachChild(source, visit)
  return sites
}

/** Where a statement may be put before another: in blocks, cases and files. */
function isRecordedStatement(node: ts.Node): boolean {
  if (!ts.isStatement(node) || ts.isBlock(node)) return false
  if (
    ts.isFunctionDeclaration(node) ||
    ts.isImportDeclaration(node) ||
    ts.isExportDeclaration(node) ||
    ts.isTypeAliasDeclaration(node) ||
    ts.isInterfaceDeclaration(node) ||
    ts.isModuleDeclaration(node)
  )
    return false
  return ts.isBlock(node.parent) || ts.isSourceFile(node.parent) || ts.isCaseOrDefaultClause(node.parent)
}

/**
 * The innermost place around a position. Code that a function runs before its body, the defaults of its parameters, belongs to the place
 * around it: more tests than needed, never fewer.
 */
export function siteAt(sites: readonly Site[], position: number): number {
  let found = 0
  for (const [id, site] of sites.entries()) {
    const inside = site.start <= position && position < site.end
    const best = sites[found]
    if (inside && best && site.end - site.start <= best.end - best.start) found = id
  }
  return found
}

/** The source with a call of `hit` at each place; the module `mutation-hits` records which of them were reached by which test. */
export function recorded(file: string, text: string): string {
  const inserts: { at: number; text: string }[] = []
  for (const [id, site] of sitesOf(parse(file, text)).entries()) {
    const hit = `__hit(${JSON.stringify(`${file}#${id}`)})`
    if (id === 0) inserts.push({ at: 0, text: `import { hit as __hit } from 'mutation-hits'; ${hit}; ` })
    else if (site.wrap) inserts.push({ at: site.start, text: `(${hit}, ` }, { at: site.end, text: ')' })
    else inserts.push({ at: site.start, text: `${hit}; ` })
  }
  let out = text
  for (const insert of inserts
    .map((one, order) => ({ ...one, order }))
    .sort((a, b) => b.at - a.at || b.order - a.order))
    out = out.slice(0, insert.at) + insert.text + out.slice(insert.at)
  return out
}
