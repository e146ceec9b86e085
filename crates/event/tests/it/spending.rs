//! Money, and the accounts in a metric.

use proptest::prelude::*;
use silcrow_event::{
    AccountBalance, Balances, Entry, Event, Metric, Money, Spending, SpendingLimit, Usage,
    read_entry,
};

#[test]
fn amounts_are_exact_decimal_numbers() {
    for (text, micros, written) in [
        ("0", 0, "0"),
        ("0.50", 500_000, "0.5"),
        (".25", 250_000, "0.25"),
        ("12.", 12_000_000, "12"),
        ("0.000001", 1, "0.000001"),
        ("18446744073709.551615", u64::MAX, "18446744073709.551615"),
    ] {
        let money: Money = text.parse().unwrap();
        assert_eq!((money.micros(), &*money.to_string()), (micros, written), "{text}");
    }
    for wrong in ["", ".", "-1", "+1", "1e3", "0.0000001", "1,5", " 1", "18446744073709.551616"] {
        assert!(wrong.parse::<Money>().is_err(), "{wrong}");
    }
}

fn account() -> impl Strategy<Value = AccountBalance> {
    let limits = (prop::option::of(any::<u64>()), prop::option::of(any::<u64>()));
    (any::<u64>(), any::<u64>(), limits).prop_map(|(tokens, cost, limits)| AccountBalance {
        spent: Spending { tokens, cost: Money::from_micros(cost) },
        limit: SpendingLimit { tokens: limits.0, cost: limits.1.map(Money::from_micros) },
    })
}

proptest! {
    #[test]
    fn amounts_round_trip(micros: u64) {
        let money = Money::from_micros(micros);
        prop_assert_eq!(money.to_string().parse::<Money>().unwrap(), money);
    }

    #[test]
    fn metric_with_accounts_round_trips(
        accounts in prop::array::uniform3(prop::option::of(account())),
        input: u64,
    ) {
        let [run, conversation, user] = accounts;
        let usage = Usage { input, ..Usage::default() };
        let budget = Some(Box::new(Balances { run, conversation, user }));
        let metric = Metric { all: Some(Box::new(usage)), budget, ..Metric::new(usage, usage) };
        let entry = Entry::from(Event::Metric(metric));
        prop_assert_eq!(read_entry(&entry.to_json()).unwrap(), entry);
    }
}

#[test]
fn accounts_are_written_with_their_limits() {
    let run = AccountBalance {
        spent: Spending { tokens: 310, cost: Money::from_micros(12_300) },
        limit: SpendingLimit { tokens: None, cost: Some(Money::from_micros(500_000)) },
    };
    let budget = Balances { run: Some(run), ..Balances::default() };
    let metric = Metric {
        budget: Some(Box::new(budget)),
        ..Metric::new(Usage::default(), Usage::default())
    };
    let json = Event::Metric(metric).to_json();
    let expected = r#","budget":{"run":{"tokens":310,"cost":0.0123,"max_cost":0.5}}}"#;
    assert!(json.ends_with(expected), "{json}");
}
