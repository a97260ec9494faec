import { readFileSync } from 'node:fs';
import ts from 'typescript';

/** A mismatch between a value and the type that a package declares for it. */
export interface TypeProblem {
  /** Path in the value, such as `[0].createdUser.name`. */
  path: string;
  /** The declared field, such as `User.User.name`. */
  field: string;
  kind: 'missing' | 'null' | 'other';
  expected: string;
  found: unknown;
}

/**
 * The parts of the language and the platform that the declarations need. Platform types are known here by name only; a value must
 * be an instance of the class of the same name.
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

/** Selects one of several types for a field, by its owner; undefined if any of them will do. */
export type Choice = (owner: Record<string, unknown>) => string | undefined;

/**
 * The methods of a class according to its declarations, read with the compiler itself. It reads only this file and the few names
 * above, which takes a tenth of the time of the libraries.
 */
export class DeclaredTypes {
  /** The public methods of the class, and the types that their promises resolve to. */
  private readonly answers = new Map<string, ts.Type>();
  /** Every declared field that had a value in a response so far, other than null or an empty list. */
  readonly seen = new Set<string>();
  private readonly checker: ts.TypeChecker;
  /** What the compiler takes long to name. */
  private readonly names = new Map<ts.Symbol, string>();
  private readonly texts = new Map<ts.Type, string>();

  /**
   * @param file path of the declarations
   * @param choices by field
   * @throws when the compiler finds an error in them, because it would then treat a type as any
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

  /** Compares a response of a method with its declared type, and records its fields. */
  problemsWith(method: string, answer: unknown): TypeProblem[] {
    const type = this.answers.get(method)!;
    this.record(type, answer);
    return this.compare(type, answer, '', method);
  }

  /** Returns every field of the responses of all methods, at any depth. */
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
      { path, field, kind, expected: this.textOf(type), found: value },
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
      // Unset fields are null in the family, and optional in the client's declarations.
      if (isOptional && (given === undefined || given === null)) return [];
      const declared = this.typeIn(property, value as Record<string, unknown>);
      if (given === undefined) {
        const expected = this.textOf(declared);
        return [{ path: at, field: name, kind: 'missing' as const, expected, found: given }];
      }
      return this.compare(declared, given, at, name);
    });
  }

  /** Returns no problem if one of the types fits; otherwise those of the closest type. */
  private compareWithUnion(type: ts.UnionType, value: unknown, path: string, field: string): TypeProblem[] {
    const attempts = type.types.map((part) => this.compare(part, value, path, field));
    if (attempts.some((problems) => problems.length === 0)) return [];
    const objects = attempts.filter((problems) => problems.some((problem) => problem.path !== path));
    const [nearest] = objects.toSorted((one, other) => one.length - other.length);
    const kind = value === null ? 'null' : 'other';
    return nearest ?? [{ path, field, kind, expected: this.textOf(type), found: value }];
  }

  private isPrimitive(type: ts.Type, value: unknown): boolean {
    if (type.flags & (ts.TypeFlags.Void | ts.TypeFlags.Undefined)) return value === undefined;
    if (type.flags & ts.TypeFlags.Null) return value === null;
    if (type.isStringLiteral() || type.isNumberLiteral()) return value === type.value;
    if (type.flags & ts.TypeFlags.BooleanLiteral) return String(value) === this.textOf(type);
    if (type.flags & ts.TypeFlags.String) return typeof value === 'string';
    if (type.flags & ts.TypeFlags.Number) return typeof value === 'number';
    throw new Error(`A type that nothing compares: ${this.textOf(type)}`);
  }

  /** Records the fields of a value. */
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

  /** Returns the best-fitting of several types; of several that fit equally, the one with the most fields. */
  private nearest(type: ts.UnionType, value: unknown): ts.Type {
    const problems = new Map(type.types.map((part) => [part, this.compare(part, value, '', '').length]));
    const [best] = type.types.toSorted(
      (one, other) =>
        problems.get(one)! - problems.get(other)! ||
        other.getProperties().length - one.getProperties().length,
    );
    return best!;
  }

  /** Returns the type of a field, in this owner. */
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

  /** Whether the package declares the type, and not the platform. */
  private isOurs(type: ts.Type): boolean {
    const declaration = (type.symbol as ts.Symbol | undefined)?.declarations?.[0];
    return declaration !== undefined && declaration.getSourceFile().fileName !== PLATFORM_FILE;
  }

  private nameOf(property: ts.Symbol): string {
    let name = this.names.get(property);
    if (name === undefined) {
      name = this.checker.getFullyQualifiedName(property).replace(/^"[^"]*"\./, '');
      this.names.set(property, name);
    }
    return name;
  }

  private textOf(type: ts.Type): string {
    let text = this.texts.get(type);
    if (text === undefined) {
      text = this.checker.typeToString(type);
      this.texts.set(type, text);
    }
    return text;
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
