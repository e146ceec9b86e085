//! Colours, to find text in the colour of its background.

use super::length::number;

/// A colour with its opacity; each part is from 0 to 1.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(in crate::html) struct CssColor {
    red: f32,
    green: f32,
    blue: f32,
    pub(in crate::html) alpha: f32,
}

impl CssColor {
    pub(in crate::html) const BLACK: Self = Self::gray(0.0);
    pub(in crate::html) const WHITE: Self = Self::gray(1.0);
    /// The usual colour of a link.
    pub(in crate::html) const LINK: Self = Self { red: 0.0, green: 0.0, blue: 0.93, alpha: 1.0 };
    /// The usual background of the element `mark`.
    pub(in crate::html) const MARK: Self = Self { red: 1.0, green: 1.0, blue: 0.0, alpha: 1.0 };

    const fn gray(light: f32) -> Self {
        Self { red: light, green: light, blue: light, alpha: 1.0 }
    }

    /// Reads a colour in lower case: a name, hexadecimal digits, or `rgb`, `hsl` and `hwb`. Returns
    /// `None` for other notations.
    pub(in crate::html) fn parse(text: &str) -> Option<Self> {
        let text = text.trim();
        if text == "transparent" {
            return Some(Self { alpha: 0.0, ..Self::BLACK });
        }
        if let Some(digits) = text.strip_prefix('#') {
            return Self::hexadecimal(digits);
        }
        if let Some((name, rest)) = text.split_once('(') {
            return Self::function(name, rest.strip_suffix(')')?);
        }
        let mut names = NAMES.split_ascii_whitespace();
        names.find(|name| *name == text)?;
        Self::hexadecimal(names.next()?)
    }

    fn hexadecimal(digits: &str) -> Option<Self> {
        let digit = |at: usize| Some(char::from(*digits.as_bytes().get(at)?).to_digit(16)? as u8);
        let part = |at: usize| {
            let byte = match digits.len() {
                3 | 4 => digit(at)? * 17,
                _ => digit(2 * at)? * 16 + digit(2 * at + 1)?,
            };
            Some(f32::from(byte) / 255.0)
        };
        let alpha = match digits.len() {
            3 | 6 => 1.0,
            4 | 8 => part(3)?,
            _ => return None,
        };
        Some(Self { red: part(0)?, green: part(1)?, blue: part(2)?, alpha })
    }

    fn function(name: &str, arguments: &str) -> Option<Self> {
        let words = arguments.split(|char: char| char.is_whitespace() || ",/".contains(char));
        let mut parts = words.filter(|word| !word.is_empty()).map(number);
        let mut next = || parts.next().flatten();
        // A part is a number, or a percentage of the maximum.
        let of = |(number, unit): (f32, &str), greatest: f32| match unit {
            "%" => number / 100.0,
            _ => number / greatest,
        };
        let (first, second, third) = (next()?, next()?, next()?);
        let alpha = next().map_or(1.0, |part| of(part, 1.0));
        let mut color = match name {
            "rgb" | "rgba" => {
                let [red, green, blue] = [first, second, third].map(|part| of(part, 255.0));
                Self { red, green, blue, alpha }
            }
            "hsl" | "hsla" => {
                let (saturation, light) = (of(second, 100.0), of(third, 100.0));
                Self::hue(first, light, saturation * light.min(1.0 - light))
            }
            "hwb" => {
                let (white, black) = (of(second, 100.0), of(third, 100.0));
                let scale = (white + black).max(1.0);
                let (white, black) = (white / scale, black / scale);
                Self::hue(first, (1.0 + white - black) / 2.0, (1.0 - white - black) / 2.0)
            }
            _ => return None,
        };
        color.alpha = alpha;
        Some(color)
    }

    /// Returns a colour of a hue around a lightness.
    fn hue((number, unit): (f32, &str), light: f32, amplitude: f32) -> Self {
        let degrees = match unit {
            "turn" => number * 360.0,
            "rad" => number.to_degrees(),
            _ => number,
        };
        let part = |shift: f32| {
            let at = (shift + degrees / 30.0).rem_euclid(12.0);
            light - amplitude * (at - 3.0).min(9.0 - at).clamp(-1.0, 1.0)
        };
        Self { red: part(0.0), green: part(8.0), blue: part(4.0), alpha: 1.0 }
    }

    /// Returns this colour in front of an opaque one.
    pub(in crate::html) fn over(self, back: Self) -> Self {
        let mix = |front: f32, back: f32| front * self.alpha + back * (1.0 - self.alpha);
        Self {
            red: mix(self.red, back.red),
            green: mix(self.green, back.green),
            blue: mix(self.blue, back.blue),
            alpha: 1.0,
        }
    }

    /// Returns whether text in this colour cannot be told from its background.
    pub(in crate::html) fn is_lost_on(self, back: Self) -> bool {
        let seen = self.over(back);
        let parts = [seen.red - back.red, seen.green - back.green, seen.blue - back.blue];
        parts.iter().all(|difference| difference.abs() < TELLABLE)
    }
}

/// The minimum difference of a part of two colours that a person can see.
const TELLABLE: f32 = 0.05;

/// The names of colours, each before its hexadecimal digits.
const NAMES: &str = "aliceblue f0f8ff antiquewhite faebd7 aqua 00ffff aquamarine 7fffd4 azure f0ffff \
beige f5f5dc bisque ffe4c4 black 000000 blanchedalmond ffebcd blue 0000ff blueviolet 8a2be2 \
brown a52a2a burlywood deb887 cadetblue 5f9ea0 canvas ffffff canvastext 000000 chartreuse 7fff00 \
chocolate d2691e coral ff7f50 cornflowerblue 6495ed cornsilk fff8dc crimson dc143c cyan 00ffff \
darkblue 00008b darkcyan 008b8b darkgoldenrod b8860b darkgray a9a9a9 darkgreen 006400 \
darkgrey a9a9a9 darkkhaki bdb76b darkmagenta 8b008b darkolivegreen 556b2f darkorange ff8c00 \
darkorchid 9932cc darkred 8b0000 darksalmon e9967a darkseagreen 8fbc8f darkslateblue 483d8b \
darkslategray 2f4f4f darkslategrey 2f4f4f darkturquoise 00ced1 darkviolet 9400d3 deeppink ff1493 \
deepskyblue 00bfff dimgray 696969 dimgrey 696969 dodgerblue 1e90ff firebrick b22222 \
floralwhite fffaf0 forestgreen 228b22 fuchsia ff00ff gainsboro dcdcdc ghostwhite f8f8ff \
gold ffd700 goldenrod daa520 gray 808080 green 008000 greenyellow adff2f grey 808080 \
honeydew f0fff0 hotpink ff69b4 indianred cd5c5c indigo 4b0082 ivory fffff0 khaki f0e68c \
lavender e6e6fa lavenderblush fff0f5 lawngreen 7cfc00 lemonchiffon fffacd lightblue add8e6 \
lightcoral f08080 lightcyan e0ffff lightgoldenrodyellow fafad2 lightgray d3d3d3 lightgreen 90ee90 \
lightgrey d3d3d3 lightpink ffb6c1 lightsalmon ffa07a lightseagreen 20b2aa lightskyblue 87cefa \
lightslategray 778899 lightslategrey 778899 lightsteelblue b0c4de lightyellow ffffe0 lime 00ff00 \
limegreen 32cd32 linen faf0e6 magenta ff00ff maroon 800000 mediumaquamarine 66cdaa \
mediumblue 0000cd mediumorchid ba55d3 mediumpurple 9370db mediumseagreen 3cb371 \
mediumslateblue 7b68ee mediumspringgreen 00fa9a mediumturquoise 48d1cc mediumvioletred c71585 \
midnightblue 191970 mintcream f5fffa mistyrose ffe4e1 moccasin ffe4b5 navajowhite ffdead \
navy 000080 oldlace fdf5e6 olive 808000 olivedrab 6b8e23 orange ffa500 orangered ff4500 \
orchid da70d6 palegoldenrod eee8aa palegreen 98fb98 paleturquoise afeeee palevioletred db7093 \
papayawhip ffefd5 peachpuff ffdab9 peru cd853f pink ffc0cb plum dda0dd powderblue b0e0e6 \
purple 800080 rebeccapurple 663399 red ff0000 rosybrown bc8f8f royalblue 4169e1 \
saddlebrown 8b4513 salmon fa8072 sandybrown f4a460 seagreen 2e8b57 seashell fff5ee sienna a0522d \
silver c0c0c0 skyblue 87ceeb slateblue 6a5acd slategray 708090 slategrey 708090 snow fffafa \
springgreen 00ff7f steelblue 4682b4 tan d2b48c teal 008080 thistle d8bfd8 tomato ff6347 \
turquoise 40e0d0 violet ee82ee wheat f5deb3 white ffffff whitesmoke f5f5f5 yellow ffff00 \
yellowgreen 9acd32";
