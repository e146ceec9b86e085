//! What the models of all vendors take alike.

/// Writes the methods of a model that change how its server is reached.
macro_rules! settings {
    ($model:ty) => {
        impl $model {
            /// The same model with other limits of time.
            ///
            /// # Errors
            ///
            /// [`ErrorKind::Network`](silcrow_provider::ErrorKind::Network) when this machine cannot
            /// speak TLS.
            pub fn with_timeouts(
                self,
                timeouts: crate::Timeouts,
            ) -> Result<Self, silcrow_provider::Error> {
                Ok(Self { host: self.host.with_timeouts(timeouts)?, ..self })
            }

            /// The same model, sent this header too, such as `OpenAI-Organization` or
            /// `anthropic-beta`. A header of the same name that was added before is replaced.
            ///
            /// # Errors
            ///
            /// [`ErrorKind::Refused`](silcrow_provider::ErrorKind::Refused) when this is not a
            /// header, or one that the request sets itself, such as the one with the key.
            pub fn with_header(
                self,
                name: &str,
                value: &str,
            ) -> Result<Self, silcrow_provider::Error> {
                Ok(Self { host: self.host.with_header(name, value)?, ..self })
            }

            /// The same model, reached through this proxy where its server speaks https.
            ///
            /// # Errors
            ///
            /// [`ErrorKind::Network`](silcrow_provider::ErrorKind::Network) when this machine cannot
            /// speak TLS.
            pub fn with_proxy(self, proxy: crate::Proxy) -> Result<Self, silcrow_provider::Error> {
                Ok(Self { host: self.host.with_proxy(proxy)?, ..self })
            }

            /// The same model, sent its key also over plain HTTP to another machine, where everybody
            /// on the way can read it. Otherwise such a request fails before it is sent.
            #[must_use]
            pub fn with_plain_http(mut self) -> Self {
                self.host.plain_http = true;
                self
            }

            /// Checks that the key may be sent to the server, without asking it anything.
            ///
            /// # Errors
            ///
            /// [`ErrorKind::Refused`](silcrow_provider::ErrorKind::Refused) when it would be sent
            /// over plain HTTP to another machine, and [`with_plain_http`](Self::with_plain_http)
            /// does not allow it.
            pub fn check(&self) -> Result<(), silcrow_provider::Error> {
                self.host.check(&self.host.url)
            }
        }
    };
}

/// Writes the method of a model whose requests have bodies of JSON.
macro_rules! body_fields {
    ($model:ty) => {
        impl $model {
            /// The same model, each of whose requests has this field in its body too, such as
            /// `reasoning_effort` or `num_ctx`; `json` is its value. A field of that name which the
            /// request has anyway is replaced.
            ///
            /// # Errors
            ///
            /// [`ErrorKind::Refused`](silcrow_provider::ErrorKind::Refused) when the value is not
            /// JSON, or the field is one that says what is asked, such as `messages`.
            pub fn with_body_field(
                mut self,
                name: &str,
                json: &str,
            ) -> Result<Self, silcrow_provider::Error> {
                self.host.fields.set(name, json)?;
                Ok(self)
            }

            /// The same model, each of whose requests has the fields of this object of JSON in its
            /// body too, as [`with_body_field`](Self::with_body_field) adds one.
            ///
            /// # Errors
            ///
            /// Those of [`with_body_field`](Self::with_body_field).
            pub fn with_body_fields(
                mut self,
                object: &str,
            ) -> Result<Self, silcrow_provider::Error> {
                self.host.fields.set_all(object)?;
                Ok(self)
            }
        }
    };
}

pub(crate) use {body_fields, settings};
