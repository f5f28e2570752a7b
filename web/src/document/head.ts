/*
 * The one inline script of every document, compiled and put into the head at build time: it runs before anything is
 * painted. Its hash stands in the Content-Security-Policy.
 */
import { chosenTheme, followTheme, paintTheme } from '../lib/theme.ts'
import { wireMenus } from './menus.ts'
import { startDocument } from './start.ts'

paintTheme(chosenTheme())
followTheme()
wireMenus(document)
startDocument(document)
