import { HOLD_LENGTH_LABELS, HOLD_LENGTHS } from '@tradepost/contract/hold-length'
import { Inbox, Info, Search } from 'lucide-react'
import { useState } from 'react'
import { Alert, AlertDescription, AlertTitle } from '../ui/alert.tsx'
import { Button, buttonLook } from '../ui/button.tsx'
import { Card, CardContent, CardDescription, CardFooter, CardHeader, CardTitle } from '../ui/card.tsx'
import { Checkbox } from '../ui/checkbox.tsx'
import { cn } from '../ui/cn.ts'
import { EmptyState } from '../ui/empty-state.tsx'
import { ErrorPanel } from '../ui/error-panel.tsx'
import { FieldError } from '../ui/field-error.tsx'
import { Gain } from '../ui/gain.tsx'
import { Input } from '../ui/input.tsx'
import { Label } from '../ui/label.tsx'
import { Mark } from '../ui/mark.tsx'
import { NotesField } from '../ui/notes-field.tsx'
import { Select } from '../ui/select.tsx'
import { Skeleton } from '../ui/skeleton.tsx'
import { Spinner } from '../ui/spinner.tsx'
import { StatCard, statGrid } from '../ui/stat-card.tsx'
import { Switch } from '../ui/switch.tsx'
import { Table, TableBody, TableCaption, TableCell, TableHead, TableHeader, TableRow } from '../ui/table.tsx'
import { Textarea } from '../ui/textarea.tsx'
import { Wordmark } from '../ui/wordmark.tsx'
import { Sample } from './sample.tsx'
import { WindowsSample } from './windows-sample.tsx'

const pairs = [
  ['bg-background text-foreground', 'foreground'],
  ['bg-background text-muted-foreground', 'muted-foreground'],
  ['bg-card text-card-foreground', 'card'],
  ['bg-muted text-foreground', 'muted'],
  ['bg-accent text-accent-foreground', 'accent'],
  ['bg-secondary text-secondary-foreground', 'secondary'],
  ['bg-action text-action-foreground', 'action'],
  ['bg-destructive text-destructive-foreground', 'destructive'],
  ['bg-destructive-muted text-destructive', 'destructive-muted'],
] as const

const variants = ['default', 'destructive', 'outline', 'secondary', 'ghost', 'link'] as const

const sizes = ['sm', 'default', 'lg'] as const

export function Primitives() {
  return (
    <div className="mt-8 space-y-14">
      <ColoursSample />
      <ButtonsSample />
      <FieldsSample />
      <WindowsSample />
      <StatesSample />
    </div>
  )
}

function ButtonsSample() {
  return (
    <Sample title="Buttons">
      <div className="flex flex-wrap gap-3">
        {variants.map((variant) => (
          <Button key={variant} variant={variant}>
            {variant}
          </Button>
        ))}
      </div>
      <div className="flex flex-wrap items-center gap-3">
        {sizes.map((size) => (
          <Button key={size} size={size}>
            {size}
          </Button>
        ))}
        <Button size="icon" aria-label="Search">
          <Search aria-hidden="true" />
        </Button>
      </div>
      <div className="flex flex-wrap gap-3">
        <Button loading>Loading button</Button>
        <Button variant="outline" loading>
          Save
        </Button>
        <Button disabled>Disabled</Button>
        <a href="#link" {...buttonLook({ variant: 'outline' })}>
          Looks like a button
        </a>
      </div>
    </Sample>
  )
}

function ColoursSample() {
  return (
    <Sample title="Brand, colour, figures">
      <div className="flex flex-wrap items-center gap-8">
        <Wordmark withMark />
        <Wordmark className="text-3xl" />
        <Mark className="size-10 text-primary" />
        <Gain value="12.345" />
        <Gain value="-3.2" />
        <Gain value="0" />
      </div>
      <ul className="grid grid-cols-2 gap-3 sm:grid-cols-3">
        {pairs.map(([classes, name]) => (
          <li key={name} className={cn('rounded-md border border-border px-4 py-3 text-sm', classes)}>
            {name}
          </li>
        ))}
      </ul>
    </Sample>
  )
}

function FieldsSample() {
  const [notes, setNotes] = useState('')
  return (
    <Sample title="Fields">
      <div className="grid gap-6 sm:grid-cols-2">
        <div className="space-y-2">
          <Label htmlFor="styles-input">Input</Label>
          <Input id="styles-input" placeholder="AAPL" />
        </div>
        <div className="space-y-2">
          <Label htmlFor="styles-invalid">Invalid</Label>
          <Input id="styles-invalid" aria-invalid="true" aria-describedby="styles-error" defaultValue="A!" />
          <FieldError id="styles-error">That is not a valid ticker.</FieldError>
        </div>
        <div className="space-y-2">
          <Label htmlFor="styles-select">Select</Label>
          <Select id="styles-select" defaultValue="">
            <option value="" disabled>
              Choose a length
            </option>
            {HOLD_LENGTHS.map((length) => (
              <option key={length} value={length}>
                {HOLD_LENGTH_LABELS[length]}
              </option>
            ))}
          </Select>
        </div>
        <div className="space-y-2">
          <Label htmlFor="styles-disabled">Disabled</Label>
          <Input id="styles-disabled" disabled defaultValue="maria" />
        </div>
        <div className="space-y-2">
          <Label htmlFor="styles-textarea">Text area</Label>
          <Textarea id="styles-textarea" />
        </div>
        <NotesField label="Notes" value={notes} onChange={setNotes} />
      </div>
      <div className="flex items-center gap-3">
        <Checkbox id="styles-checkbox" defaultChecked />
        <Label htmlFor="styles-checkbox">
          I understand that I cannot close this position on the same day
        </Label>
      </div>
      <div className="flex items-center gap-3">
        <Switch id="styles-switch" defaultChecked />
        <Label htmlFor="styles-switch">E-mail me</Label>
      </div>
    </Sample>
  )
}

function StatesSample() {
  return (
    <Sample title="Cards, tables, states">
      <div className={statGrid}>
        <StatCard label="Open positions">4</StatCard>
        <StatCard label="Closed positions">31</StatCard>
        <StatCard label="Average profit %">
          <Gain value="7.24" />
        </StatCard>
      </div>
      <CardSample />
      <AlertsSample />
      <EmptyState
        icon={<Inbox aria-hidden="true" />}
        title="No positions available."
        action={<Button>New Position</Button>}
      >
        Your open positions and those of the traders you follow appear here.
      </EmptyState>
      <ErrorPanel message="Something went wrong, please try again." onRetry={() => undefined} />
      <div className="flex items-center gap-4">
        <Spinner />
        <Skeleton className="h-9 w-44" />
      </div>
    </Sample>
  )
}

function CardSample() {
  return (
    <Card>
      <CardHeader>
        <CardTitle>A card</CardTitle>
        <CardDescription>With a description.</CardDescription>
      </CardHeader>
      <CardContent>
        <Table>
          <TableCaption>Recent positions</TableCaption>
          <TableHeader>
            <TableRow>
              <TableHead>Stock</TableHead>
              <TableHead>Opened</TableHead>
              <TableHead className="text-right">Profit</TableHead>
            </TableRow>
          </TableHeader>
          <TableBody>
            <TableRow>
              <TableCell data-label="Stock">AAPL</TableCell>
              <TableCell data-label="Opened">Nov 3, 2026</TableCell>
              <TableCell data-label="Profit" className="text-right">
                <Gain value="12.34" />
              </TableCell>
            </TableRow>
            <TableRow>
              <TableCell data-label="Stock">KO</TableCell>
              <TableCell data-label="Opened">Oct 12, 2026</TableCell>
              <TableCell data-label="Profit" className="text-right">
                <Gain value="-3.20" />
              </TableCell>
            </TableRow>
          </TableBody>
        </Table>
      </CardContent>
      <CardFooter>
        <Button size="sm">Action</Button>
      </CardFooter>
    </Card>
  )
}

function AlertsSample() {
  return (
    <>
      <Alert role="note">
        <Info aria-hidden="true" />
        <AlertTitle>Market Closed</AlertTitle>
        <AlertDescription>
          The market is currently closed. Please wait until market open to alert on a new position.
        </AlertDescription>
      </Alert>
      <Alert role="note" variant="destructive">
        <AlertTitle>Unable to open position</AlertTitle>
        <AlertDescription>Something went wrong...</AlertDescription>
      </Alert>
    </>
  )
}
