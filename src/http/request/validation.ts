import {
  getMetadataStorage,
  validateSync,
  type ValidationError,
  ValidationTypes,
  type ValidatorConstraintInterface,
} from 'class-validator';

/** The decorators of one property. */
interface PropertyRules {
  property: string;
  /** Conditions under which the rules apply, such as that of an optional field. */
  conditions: ((dto: object, value: unknown) => boolean)[];
  rules: Rule[];
}

interface Rule {
  constraint: ValidatorConstraintInterface;
  constraints: unknown[];
  /** Whether the rule applies to the items of a list. */
  each: boolean;
}

const compiled = new WeakMap<object, readonly PropertyRules[] | undefined>();

/**
 * Validates a request DTO by its decorators; the result is that of class-validator, which looks up the decorators at each call. Here they
 * are looked up once for each class, and class-validator itself runs only when a rule fails, for the messages.
 */
export const validate = (dto: object): ValidationError[] =>
  passes(dto) ? [] : validateSync(dto, { stopAtFirstError: true });

/** Whether a DTO is certainly valid. */
function passes(dto: object): boolean {
  const dtoClass = dto.constructor as new () => object;
  if (!compiled.has(dtoClass)) compiled.set(dtoClass, compile(dtoClass));
  return compiled.get(dtoClass)?.every((rules) => follows(dto, rules)) ?? false;
}

function follows(dto: object, { property, conditions, rules }: PropertyRules): boolean {
  const value = (dto as Record<string, unknown>)[property];
  if (!conditions.every((condition) => condition(dto, value))) return true;
  return rules.every(({ constraint, constraints, each }) => {
    const facts = { targetName: dto.constructor.name, property, object: dto, value, constraints };
    const accepts = (item: unknown): boolean => constraint.validate(item, facts) === true;
    return each && Array.isArray(value) ? value.every(accepts) : accepts(value);
  });
}

/** Returns the rules of each property; undefined if the class has none, or one that only class-validator can evaluate. */
function compile(dtoClass: new () => object): PropertyRules[] | undefined {
  const storage = getMetadataStorage();
  const properties = new Map<string, PropertyRules>();
  for (const metadata of storage.getTargetValidationMetadatas(dtoClass, '', false, false)) {
    const { propertyName: property, type, constraintCls, constraints, each } = metadata;
    const rules = properties.get(property) ?? { property, conditions: [], rules: [] };
    properties.set(property, rules);
    if (type === ValidationTypes.CONDITIONAL_VALIDATION) {
      rules.conditions.push((constraints as PropertyRules['conditions'])[0] as () => boolean);
      continue;
    }
    const validators = storage.getTargetValidatorConstraints(constraintCls);
    const isKnown = type === ValidationTypes.CUSTOM_VALIDATION && metadata.validateIf === undefined;
    if (!isKnown || validators.some(({ async }) => async)) return undefined;
    for (const { instance } of validators) rules.rules.push({ constraint: instance, constraints, each });
  }
  return properties.size > 0 ? [...properties.values()] : undefined;
}
