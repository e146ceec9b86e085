//! The program that sends spans and metrics.

use crate::attribute::Attribute;

/// The program that sends spans and metrics.
///
/// ```
/// use silcrow_otlp::{Attribute, AttributeValue, Resource};
///
/// let resource = Resource::new("weather").with_attribute(Attribute::new("service.version", "1.2.0"));
/// let name = &resource.attributes[0];
/// assert_eq!(name.name, "service.name");
/// assert_eq!(name.value, AttributeValue::Text("weather".into()));
/// ```
#[derive(Clone, Debug, PartialEq)]
#[non_exhaustive]
pub struct Resource {
    /// The facts that are known about it.
    pub attributes: Vec<Attribute>,
}

impl Resource {
    /// Names a program.
    pub fn new(service: &str) -> Self {
        Self {
            attributes: vec![
                Attribute::new("service.name", service),
                Attribute::new("telemetry.sdk.name", "silcrow"),
                Attribute::new("telemetry.sdk.language", "rust"),
                Attribute::new("telemetry.sdk.version", env!("CARGO_PKG_VERSION")),
            ],
        }
    }

    /// Adds an attribute, in place of one with the same name.
    #[must_use]
    pub fn with_attribute(mut self, attribute: Attribute) -> Self {
        self.attributes.retain(|other| other.name != attribute.name);
        self.attributes.push(attribute);
        self
    }
}
