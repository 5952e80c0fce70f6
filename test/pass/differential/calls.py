# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Generates functions of random signatures that call each other across two translation units,
mostly through pointers. csmith generates neither such calls, nor variadic functions, nor types
that are passed in several ways.
"""
from dataclasses import dataclass

REALS = ["f32", "f64", "wide"]
# Types of Inputs/support.h. A variadic call promotes the types in PROMOTED.
PROMOTED = ["i8", "u8", "i16", "u16", "boolean", "f32"]
KEPT = ["i32", "u32", "i64", "u64", "f64", "wide", "c64", "u128", "v128",
        "pointer", "callback"]
TYPES = PROMOTED + KEPT + ["c32", "color"]
# A call with only these types needs no stack, so every back end can make it a guaranteed tail
# call.
INTEGERS = ["i8", "u16", "i32", "u32", "i64", "u64", "boolean", "pointer"]


@dataclass(frozen=True)
class Signature:
    result: str       # a type's name, or "void"
    arguments: tuple  # names of types
    rest: tuple       # names of the types passed for "...", or None

    @property
    def parameters(self):
        return ", ".join(self.arguments) + (", ..." if self.rest else "") or "void"

    @property
    def named(self):
        names = [f"{kind} a{i}" for i, kind in enumerate(self.arguments)]
        return ", ".join(names) + (", ..." if self.rest else "") or "void"

    @property
    def can_tail_call(self):
        return (not self.rest and len(self.arguments) <= 4
                and {self.result, *self.arguments} <= {"void", *INTEGERS})


@dataclass(frozen=True)
class Function:
    name: str
    unit: int
    signature: Signature
    external: bool
    untraced: bool

    def head(self, named):
        parameters = self.signature.named if named else self.signature.parameters
        return (("UNTRACED " if self.untraced else "")
                + ("" if self.external else "static ")
                + f"{self.signature.result} {self.name}({parameters})")

    @property
    def pointer(self):
        signature = self.signature
        return f"{signature.result} (*volatile to_{self.name})({signature.parameters})"


class Calls:
    """One program's functions: .header, and .unit(0) and .unit(1)."""

    def __init__(self, random, functions=10):
        self.random = random
        self.structs = [self._struct(f"s{i}") for i in range(random.randint(3, 6))]
        self.types = TYPES + [name for name, _ in self.structs] * 3
        signatures = [self._signature() for _ in range(functions // 2)]
        self.functions = [
            Function(f"call_{i}", random.randrange(2), random.choice(signatures),
                     random.random() < 0.6, random.random() < 0.5)
            for i in range(functions)]

    def _struct(self, name):
        """Adds a structure: random, or with members of one floating-point type, which is
        often passed in registers."""
        if self.random.random() < 0.3:
            kinds = [self.random.choice(REALS)] * self.random.randint(1, 4)
        else:
            count = self.random.choice([1, 1, 2, 2, 3, 5, 9])
            kinds = self.random.choices(TYPES, k=count)
        return name, [(kind, self.random.choice([1, 1, 1, 1, 3])) for kind in kinds]

    def _signature(self):
        choose = self.random
        kind = choose.random()
        if kind < 0.2:
            return Signature(choose.choice(["void", *INTEGERS]),
                             tuple(choose.choices(INTEGERS, k=choose.randint(0, 4))), None)
        count = choose.choice([0, 1, 2, 3, 4, 6, 9, 14])
        result = choose.choice(["void", *self.types])
        if kind < 0.45:
            # Include floating-point arguments: the caller passes their number in a register.
            rest = KEPT + ["f64"] * 6 + [name for name, _ in self.structs]
            # The type before "..." must be one that is not promoted.
            return Signature(result, (*choose.choices(self.types, k=count // 2), "i32"),
                             tuple(choose.choices(rest, k=choose.randint(1, 8))))
        return Signature(result, tuple(choose.choices(self.types, k=count)), None)

    @property
    def header(self):
        lines = ["#include <support.h>"]
        for name, fields in self.structs:
            lines += [f"typedef struct {{", *(f"  {kind} f{i}[{count}];"
                                              for i, (kind, count) in enumerate(fields)),
                      f"}} {name};"]
            each = [(f"value.f{i}[{j}]", kind) for i, (kind, count) in enumerate(fields)
                    for j in range(count)]
            lines += [f"SMALL {name} next_{name}(void) {{", f"  {name} value;",
                      *(f"  {field} = next_{kind}();" for field, kind in each),
                      "  return value;", "}",
                      f"SMALL void fold_{name}({name} value) {{",
                      *(f"  fold_{kind}({field});" for field, kind in each), "}"]
        for function in self.functions:
            lines.append(f"extern {function.pointer};")
            if function.external:
                lines.append(f"{function.head(False)};")
        return "\n".join(lines) + "\n"

    def unit(self, number):
        own = [function for function in self.functions if function.unit == number]
        lines = [f"{f.head(False)};" for f in own if not f.external]
        lines += [f"{f.pointer} = {f.name};" for f in own]
        for function in own:
            lines += [f"{function.head(True)} {{", *self._body(function), "}"]
        return "\n".join(lines) + "\n"

    def _call(self, caller_unit, callee):
        """Lines of a call whose result is folded."""
        signature = callee.signature
        kinds = signature.arguments + (signature.rest or ())
        seen = callee.external or callee.unit == caller_unit
        name = callee.name if seen and self.random.random() < 0.3 else f"to_{callee.name}"
        # The order of evaluation is undefined for arguments, but defined for statements.
        lines = [f"{kind} x{i} = next_{kind}();" for i, kind in enumerate(kinds)]
        call = f"{name}({', '.join(f'x{i}' for i in range(len(kinds)))})"
        lines.append(f"{call};" if signature.result == "void"
                     else f"fold_{signature.result}({call});")
        return lines

    def all_calls(self, caller_unit):
        lines = []
        for callee in self.functions:
            lines += ["{", f"fuel = {self.random.randint(0, 30)};",
                      *self._call(caller_unit, callee), "}"]
        return "\n".join(lines) + "\n"

    def _body(self, function):
        choose, signature = self.random, function.signature
        folds = [f"  fold_{kind}(a{i});" for i, kind in enumerate(signature.arguments)]
        lines = []
        # A large or aligned frame, which the prologue must probe or align.
        if choose.random() < 0.2:
            size = choose.choice([1, 40, 700])
            lines += [f"  volatile _Alignas({choose.choice([8, 16, 64])}) u64 frame[{size}];",
                      f"  frame[next() % {size}] = next();"]
        # A loop at the entry; the arguments must survive it.
        loop = choose.random() < 0.3
        lines.append("  do {" if loop else "  {")
        lines += folds
        if signature.rest:
            lines += ["  va_list rest;", f"  va_start(rest, a{len(signature.arguments) - 1});",
                      *(f"  fold_{kind}(va_arg(rest, {kind}));" for kind in signature.rest),
                      "  va_end(rest);"]
        for _ in range(choose.randint(0, 2)):
            lines += ["  if (spend()) {",
                      *self._call(function.unit, choose.choice(self.functions)), "  }"]
        lines.append("  } while (spend());" if loop else "  }")
        lines += folds
        alike = [f for f in self.functions if f.signature == signature]
        if not signature.rest and choose.random() < 0.5:
            names = ", ".join(f"a{i}" for i in range(len(signature.arguments)))
            tail = "MUSTTAIL " if signature.can_tail_call else ""
            lines.append(f"  if (spend()) {tail}return "
                         f"to_{choose.choice(alike).name}({names});")
        if signature.result != "void":
            lines.append(f"  return next_{signature.result}();")
        return lines
