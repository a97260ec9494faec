import { readFileSync } from 'node:fs';
import ts from 'typescript';

/** What is wrong with a value, by the type that a package declares for it. */
export interface TypeProblem {
  /** Where in the value, such as `[0].createdUser.name`. */
  path: string;
  /** The declared field, such as `User.User.name`. */
  field: string;
  kind: 'missing' | 'null' | 'other';
  expected: string;
  found: unknown;
}

/**
 * What the declarations need of the language and the platform. Of those of the platform only the names are known here; a value is an
 * instance of the class of the same name.
 */
const PLATFORM = `
  interface Array<T> { length: number; [index: number]: T }
  interface Boolean {} interface CallableFunction {} interface Function {} interface IArguments {}
  interface NewableFunction {} interface Number {} interface Object {} interface RegExp {} interface String {}
  interface Promise<T> { readonly then: T }
  interface Error { name: string; message: string }
  declare var Error: { new (message?: string): Error };
  interface Blob { size: number } interface FormData { append: unknown }
  interface ReadableStream { locked: boolean } interface Response { body: unknown }
  declare function fetch(input: unknown, init?: unknown): Promise<Response>;
`;
const PLATFORM_FILE = '/platform.d.ts';

/** Names the one of several types that the field of an owner must have; undefined if any will do. */
export type Choice = (owner: Record<string, unknown>) => string | undefined;

/**
 * The methods of a class as its declarations describe them, read with the compiler itself. It reads nothing but the one file and the
 * few names above, which takes a tenth of the time that the libraries would.
 */
export class DeclaredTypes {
  /** The class's public methods, and what their promises are for. */
  private readonly answers = new Map<string, ts.Type>();
  /** Every declared field of an answer so far that had a value other than null or an empty list. */
  readonly seen = new Set<string>();
  private readonly checker: ts.TypeChecker;

  /**
   * @param file its declarations
   * @param choices by the field
   * @throws when the compiler finds an error in them, which would make it take a type for any
   */
  constructor(
    file: string,
    className: string,
    private readonly choices: Readonly<Record<string, Choice>> = {},
  ) {
    const options: ts.CompilerOptions = {
      noLib: true,
      strict: true,
      types: [],
      target: ts.ScriptTarget.ES2022,
    };
    const program = ts.createProgram([PLATFORM_FILE, file], options, hostOf(options, [file]));
    this.checker = program.getTypeChecker();
    const errors = program.getSemanticDiagnostics();
    if (errors.length > 0) throw new Error(ts.flattenDiagnosticMessageText(errors[0]!.messageText, '\n'));
    const source = program.getSourceFile(file)!;
    const declaration = source.statements.find(
      (statement) => ts.isClassDeclaration(statement) && statement.name?.text === className,
    ) as ts.ClassDeclaration;
    for (const member of declaration.members) {
      const isPrivate = ts.getCombinedModifierFlags(member) & ts.ModifierFlags.Private;
      if (!ts.isMethodDeclaration(member) || isPrivate) continue;
      const signature = this.checker.getSignatureFromDeclaration(member)!;
      const [answer] = this.checker.getTypeArguments(signature.getReturnType() as ts.TypeReference);
      this.answers.set(member.name.getText(), answer!);
    }
  }

  get methods(): string[] {
    return [...this.answers.keys()];
  }

  /** Holds an answer of a method against its declared type, and remembers which fields it had. */
  problemsWith(method: string, answer: unknown): TypeProblem[] {
    const type = this.answers.get(method)!;
    this.record(type, answer);
    return this.compare(type, answer, '', method);
  }

  /** Every field of the answers of all methods, at any depth. */
  fields(): string[] {
    const fields = new Set<string>();
    const visited = new Set<ts.Type>();
    const visit = (type: ts.Type): void => {
      if (visited.has(type)) return;
      visited.add(type);
      for (const part of type.isUnion() ? type.types : [type]) {
        const element = this.elementOf(part);
        if (element) visit(element);
        if (!this.isOurs(part)) continue;
        for (const property of part.getProperties()) {
          fields.add(this.nameOf(property));
          visit(this.checker.getTypeOfSymbol(property));
        }
      }
    };
    for (const type of this.answers.values()) visit(type);
    return [...fields];
  }

  private compare(type: ts.Type, value: unknown, path: string, field: string): TypeProblem[] {
    if (type.flags & (ts.TypeFlags.Any | ts.TypeFlags.Unknown)) return [];
    if (type.isUnion()) return this.compareWithUnion(type, value, path, field);
    const wrong = (kind: TypeProblem['kind'] = value === null ? 'null' : 'other'): TypeProblem[] => [
      { path, field, kind, expected: this.checker.typeToString(type), found: value },
    ];
    if (!(type.flags & ts.TypeFlags.Object)) return this.isPrimitive(type, value) ? [] : wrong();
    const element = this.elementOf(type);
    if (element) {
      if (!Array.isArray(value)) return wrong();
      return value.flatMap((item, index) => this.compare(element, item, `${path}[${index}]`, field));
    }
    if (this.checker.isTupleType(type)) return Array.isArray(value) && value.length === 0 ? [] : wrong();
    if (typeof value !== 'object' || value === null || Array.isArray(value)) return wrong();
    if (!this.isOurs(type)) {
      const constructor = (globalThis as Record<string, unknown>)[type.symbol.name];
      return typeof constructor === 'function' && value instanceof constructor ? [] : wrong();
    }
    return type.getProperties().flatMap((property) => {
      const name = this.nameOf(property);
      const at = `${path}.${property.name}`;
      const isOptional = (property.flags & ts.SymbolFlags.Optional) !== 0;
      const given = (value as Record<string, unknown>)[property.name];
      // What is not set is null in the family, and left out in the client's declarations.
      if (isOptional && (given === undefined || given === null)) return [];
      const declared = this.typeIn(property, value as Record<string, unknown>);
      if (given === undefined) {
        const expected = this.checker.typeToString(declared);
        return [{ path: at, field: name, kind: 'missing' as const, expected, found: given }];
      }
      return this.compare(declared, given, at, name);
    });
  }

  /** No problem if one of the types fits; else those with the one that comes nearest. */
  private compareWithUnion(type: ts.UnionType, value: unknown, path: string, field: string): TypeProblem[] {
    const attempts = type.types.map((part) => this.compare(part, value, path, field));
    if (attempts.some((problems) => problems.length === 0)) return [];
    const objects = attempts.filter((problems) => problems.some((problem) => problem.path !== path));
    const [nearest] = objects.toSorted((one, other) => one.length - other.length);
    const kind = value === null ? 'null' : 'other';
    return nearest ?? [{ path, field, kind, expected: this.checker.typeToString(type), found: value }];
  }

  private isPrimitive(type: ts.Type, value: unknown): boolean {
    if (type.flags & (ts.TypeFlags.Void | ts.TypeFlags.Undefined)) return value === undefined;
    if (type.flags & ts.TypeFlags.Null) return value === null;
    if (type.isStringLiteral() || type.isNumberLiteral()) return value === type.value;
    if (type.flags & ts.TypeFlags.BooleanLiteral) return String(value) === this.checker.typeToString(type);
    if (type.flags & ts.TypeFlags.String) return typeof value === 'string';
    if (type.flags & ts.TypeFlags.Number) return typeof value === 'number';
    throw new Error(`A type that nothing compares: ${this.checker.typeToString(type)}`);
  }

  /** Remembers which fields a value has. */
  private record(type: ts.Type, value: unknown): void {
    if (type.isUnion()) {
      this.record(this.nearest(type, value), value);
      return;
    }
    const element = this.elementOf(type);
    if (element && Array.isArray(value)) for (const item of value) this.record(element, item);
    if (element || !this.isOurs(type) || typeof value !== 'object' || value === null) return;
    for (const property of type.getProperties()) {
      const given = (value as Record<string, unknown>)[property.name];
      if (given === undefined || given === null || (Array.isArray(given) && given.length === 0)) continue;
      this.seen.add(this.nameOf(property));
      this.record(this.typeIn(property, value as Record<string, unknown>), given);
    }
  }

  /** Of several types, the one that fits best; of several that fit, the one that says most. */
  private nearest(type: ts.UnionType, value: unknown): ts.Type {
    const problems = new Map(type.types.map((part) => [part, this.compare(part, value, '', '').length]));
    const [best] = type.types.toSorted(
      (one, other) =>
        problems.get(one)! - problems.get(other)! ||
        other.getProperties().length - one.getProperties().length,
    );
    return best!;
  }

  /** The type of a field, in this owner. */
  private typeIn(property: ts.Symbol, owner: Record<string, unknown>): ts.Type {
    const type = this.checker.getTypeOfSymbol(property);
    const chosen = this.choices[this.nameOf(property)]?.(owner);
    if (chosen === undefined) return type;
    const part = type.isUnion() && type.types.find(({ symbol }) => symbol.name === chosen);
    if (!part) throw new Error(`${this.nameOf(property)} has no type ${chosen}.`);
    return part;
  }

  private elementOf(type: ts.Type): ts.Type | undefined {
    return this.checker.isArrayType(type)
      ? this.checker.getTypeArguments(type as ts.TypeReference)[0]
      : undefined;
  }

  /** Whether the package declares it, and not the platform. */
  private isOurs(type: ts.Type): boolean {
    const declaration = (type.symbol as ts.Symbol | undefined)?.declarations?.[0];
    return declaration !== undefined && declaration.getSourceFile().fileName !== PLATFORM_FILE;
  }

  private nameOf(property: ts.Symbol): string {
    return this.checker.getFullyQualifiedName(property).replace(/^"[^"]*"\./, '');
  }
}

function hostOf(options: ts.CompilerOptions, files: readonly string[]): ts.CompilerHost {
  const texts = new Map([
    [PLATFORM_FILE, PLATFORM],
    ...files.map((file) => [file, readFileSync(file, 'utf8')] as const),
  ]);
  return {
    ...ts.createCompilerHost(options),
    fileExists: (file) => texts.has(file),
    readFile: (file) => texts.get(file),
    getSourceFile: (file, version) => {
      const text = texts.get(file);
      return text === undefined ? undefined : ts.createSourceFile(file, text, version, true);
    },
    writeFile: () => undefined,
  };
}
