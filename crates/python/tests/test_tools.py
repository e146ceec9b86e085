"""Schemas of functions, and what becomes of arguments and results."""

import asyncio
import dataclasses
import datetime
import decimal
import enum
import pathlib
import unittest
import uuid
from collections.abc import Callable, Sequence
from typing import Annotated, Literal, NewType, Optional, TypedDict

from silcrow import Call, Output, ToolError, schema_of, tool


class Unit(enum.Enum):
    METRIC = "metric"
    IMPERIAL = "imperial"


@dataclasses.dataclass
class Place:
    name: str
    near: "list[Place]" = dataclasses.field(default_factory=list)


class Range(TypedDict):
    first: int
    last: int


def run(function, **args):
    call = Call("f", "c1", 1, "a1", False)
    return asyncio.run((function if hasattr(function, "schema") else tool(function))._run(args, call))


class Schemas(unittest.TestCase):
    def test_types_become_a_schema(self):
        def forecast(
            city: str,
            days: int = 1,
            unit: Unit = Unit.METRIC,
            kind: Literal["rain", "sun"] = "rain",
            share: Annotated[Optional[float], "Between 0 and 1."] = None,
            tags: list[str] = [],
        ) -> str:
            """Returns a forecast.

            Args:
                city: Where it is.
            """
            return ""

        made = tool(forecast)
        self.assertEqual(made.description, "Returns a forecast.")
        schema = made.schema
        self.assertEqual(schema["required"], ["city"])
        self.assertEqual(schema["properties"]["city"], {"type": "string", "description": "Where it is."})
        self.assertEqual(schema["properties"]["days"], {"type": "integer", "default": 1})
        self.assertEqual(schema["properties"]["unit"], {"enum": ["metric", "imperial"]})
        self.assertEqual(schema["properties"]["kind"]["enum"], ["rain", "sun"])
        self.assertEqual(schema["properties"]["share"]["anyOf"], [{"type": "number"}, {"type": "null"}])
        self.assertEqual(schema["properties"]["share"]["description"], "Between 0 and 1.")
        self.assertEqual(schema["properties"]["tags"], {"type": "array", "items": {"type": "string"}})
        self.assertFalse(schema["additionalProperties"])

    def test_objects_are_defined_once_and_may_contain_themselves(self):
        def go(to: Place, within: Range) -> str:
            return ""

        schema = schema_of(go)
        self.assertEqual(schema["properties"]["to"], {"$ref": "#/$defs/Place"})
        place = schema["$defs"]["Place"]
        self.assertEqual(place["properties"]["near"]["items"], {"$ref": "#/$defs/Place"})
        self.assertEqual(place["required"], ["name"])
        self.assertEqual(schema["$defs"]["Range"]["required"], ["first", "last"])

    def test_a_parameter_that_no_model_can_name_is_refused(self):
        with self.assertRaisesRegex(TypeError, "cannot name"):
            schema_of(lambda *args: None)

    def test_models_of_pydantic_are_schemas(self):
        try:
            from pydantic import BaseModel
        except ImportError:
            self.skipTest("pydantic is not installed")

        class Order(BaseModel):
            count: int
            place: Optional[str] = None

        def buy(order: Order) -> Order:
            return order

        self.assertEqual(schema_of(buy)["properties"]["order"]["required"], ["count"])
        self.assertEqual(run(buy, order={"count": 2}).value, {"count": 2, "place": None})
        with self.assertRaisesRegex(ToolError, "count"):
            run(buy, order={})


class Calls(unittest.TestCase):
    def test_arguments_become_what_parameters_take(self):
        seen = {}

        def take(to: Place, day: datetime.date, unit: Unit, path: pathlib.Path, ids: set[int], call: Call) -> None:
            seen.update(locals())

        run(
            take,
            to={"name": "Paris", "near": [{"name": "Lyon"}]},
            day="2026-11-29",
            unit="metric",
            path="a/b",
            ids=[1, 1],
        )
        self.assertEqual(seen["to"].near[0].name, "Lyon")
        self.assertEqual(seen["day"], datetime.date(2026, 11, 29))
        self.assertEqual(seen["unit"], Unit.METRIC)
        self.assertEqual(seen["path"], pathlib.Path("a/b"))
        self.assertEqual(seen["ids"], {1})
        self.assertEqual(seen["call"].id, "a1")
        with self.assertRaisesRegex(ToolError, "`unit` does not fit"):
            run(take, to={"name": "x"}, day="2026-11-29", unit="other", path="a", ids=[])

    def test_results_become_outputs(self):
        self.assertEqual(run(lambda: "text").content, "text")
        self.assertEqual(run(lambda: None).summary, "done")
        self.assertEqual(run(lambda: {"a": [1]}).value, {"a": [1]})
        self.assertEqual(run(lambda: Output("x", "two words")).summary, "two words")

        async def later() -> Place:
            await asyncio.sleep(0)
            return Place("Rome")

        self.assertEqual(run(later).content, '{"name": "Rome", "near": []}')


class Values(unittest.TestCase):
    def test_values_become_json_wherever_they_are(self):
        for value, text in [
            ([Place("Rome")], '[{"name": "Rome", "near": []}]'),
            ({"a": Unit.METRIC}, '{"a": "metric"}'),
            (Unit.METRIC, '"metric"'),
            ({1}, "[1]"),
            (decimal.Decimal("1.50"), '"1.50"'),
            ([float("nan"), Place("Rome")], '[null, {"name": "Rome", "near": []}]'),
        ]:
            with self.subTest(value):
                self.assertEqual(run(lambda: value).content, text)
        for value in (b"bytes", (one for one in ()), object()):
            with self.subTest(value), self.assertRaisesRegex(TypeError, "JSON has no"):
                run(lambda: value)

    def test_types_without_a_schema_are_refused_by_name(self):
        def f(data: bytes) -> str: ...
        def g(table: dict[int, str]) -> str: ...
        def h(call: Callable[[], None]) -> str: ...

        for function, name in ((f, "data"), (g, "table"), (h, "call")):
            with self.assertRaisesRegex(TypeError, f"{function.__name__}.*`{name}`"):
                tool(function)

    def test_numbers_ids_and_sequences_arrive_as_declared(self):
        Name = NewType("Name", str)

        def f(price: decimal.Decimal, id: uuid.UUID, names: Sequence[Name]) -> str:
            return f"{price!r} {id!r} {names!r}"

        self.assertEqual(schema_of(f)["properties"]["names"], {"type": "array", "items": {"type": "string"}})
        id = "12345678-1234-5678-1234-567812345678"
        said = run(f, price=1.1, id=id, names=["a"]).content
        self.assertEqual(said, f"Decimal('1.1') UUID('{id}') ['a']")
        with self.assertRaisesRegex(ToolError, "`id`"):
            run(f, price=1, id="none", names=[])


if __name__ == "__main__":
    unittest.main()
