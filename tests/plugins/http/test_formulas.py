"""Formulas in MathML that come without their TeX, and pictures of formulas."""

import pytest

from strap_http.extraction.formulas.tex import tex_of
from strap_http.extraction.pages import read_small
from strap_http.extraction.slimming import slim


def two(name, first="<mi>x</mi>", second="<mn>1</mn>", attributes=""):
    return f"<{name} {attributes}>{first}{second}</{name}>"


CELL = "<mtd><mn>{}</mn></mtd>"
SUM = "<mrow><mi>k</mi><mo>=</mo><mn>1</mn></mrow>"
NONE_OF_TEX = [
    "<apply><plus/><ci>x</ci></apply>",
    "<menclose notation=longdiv><mn>3</mn></menclose>",
    "<msup><mi>x</mi></msup>",
    "<mi>x</mi><mspace><mi>y</mi>",
    "<mstack><mn>3</mn><mn>4</mn></mstack>",
]


@pytest.mark.parametrize(
    ("mathml", "tex"),
    [
        ("<msqrt><mi>x</mi><mo>+</mo><mn>1</mn></msqrt>", r"\sqrt{x+1}"),
        (two("mroot", "<mn>8</mn>", "<mn>3</mn>"), r"\sqrt[3]{8}"),
        (two("msub"), "x_1"),
        ("<msubsup><mi>x</mi><mn>1</mn><mn>2</mn></msubsup>", "x_1^2"),
        (f"<munderover><mo>∑</mo>{SUM}<mi>n</mi></munderover>{two('msub')}", "∑_{k=1}^n x_1"),
        (two("mfrac", "<mi>n</mi>", "<mi>k</mi>", "linethickness=0"), r"{n \atop k}"),
        (f"<mo>(</mo>{two('mfrac', attributes='linethickness=0')}<mo>)</mo>", r"\binom{x}{1}"),
        (f"<mfenced>{two('mfrac', attributes='linethickness=0pt')}</mfenced>", r"\binom{x}{1}"),
        (f"<mn>2</mn>{two('mfrac', '<mn>1</mn>', '<mn>2</mn>')}", r"2\frac{1}{2}"),
        (
            f"<mtable><mtr>{CELL.format(1)}{CELL.format(2)}</mtr><mtr>{CELL.format(3)}</mtr></mtable>",
            r"\begin{matrix}1 & 2 \\ 3\end{matrix}",
        ),
        ("<mi>sin</mi><mo>&#x2061;</mo><mi>x</mi>", r"\sin x"),
        (two("munder", "<mo>lim</mo>", f"<mrow>{SUM}</mrow>"), r"\lim_{k=1}"),
        (two("mover", second="<mo>¯</mo>"), r"\overline{x}"),
        (two("msup", two("msup")), "{x^1}^1"),
        ("<mn>2</mn><mo>&#x2062;</mo><mn>3</mn>", r"2\cdot 3"),
        ("<mn>2</mn><mn>3</mn>", r"2\,3"),
        ("<mi>A</mi><mo>&lt;</mo><mn>5</mn><mo>%</mo>", r"A<5\%"),
        (two("msub", second="<mtext>a_b</mtext>"), r"x_{\text{a\_b}}"),
        ("<mi mathvariant=double-struck>R</mi>", r"\mathbb{R}"),
        (
            "<mmultiscripts><mi>C</mi><mn>6</mn><none/><mprescripts/><none/><mn>14</mn></mmultiscripts>",
            "{}^{14}C_6",
        ),
        ("<semantics><mi>x</mi><annotation-xml><apply/></annotation-xml></semantics>", "x"),
    ],
)
def test_mathml_is_tex_by_its_structure(mathml, tex):
    assert (tex_of(f"<math>{mathml}</math>") or "").startswith(tex)
    assert f"`${tex}" in read_small(f"<p>Here <math>{mathml}</math> and on.</p>", "").text
    prefixed = f"<math>{mathml}</math>".replace("</", "</m:").replace("<m", "<m:m")
    assert (tex_of(prefixed) or "").startswith(tex)


@pytest.mark.parametrize("mathml", NONE_OF_TEX)
def test_what_tex_cannot_say_is_left_as_mathml(mathml):
    text = read_small(f"<p>Here <math>{mathml}</math> and on.</p>", "").text
    assert text == f"Here `<math>{mathml}</math>` and on."


@pytest.mark.parametrize("depth", [10_000, 100_000])
def test_a_formula_too_deep_is_left_as_mathml(depth):
    mathml = f"<math>{'<msqrt>' * depth}<mi>x</mi>{'</msqrt>' * depth}</math>"
    assert slim(f"<p>{mathml}").startswith("<p><code>&lt;math&gt;&lt;msqrt&gt;")


def test_words_for_screen_readers_are_no_tex():
    assert "$x_1$" in slim(f'<math alttext="x with index one">{two("msub")}</math>')


@pytest.mark.parametrize(
    "picture",
    [
        '<img class="mwe-math-fallback-image-inline" alt="x^2" src="/1.svg">',
        '<img class="latex" src="/x.png" alt="$x^2$">',
        '<img src="https://latex.codecogs.com/gif.latex?x" alt="x^2"/>',
        '<span data-math="x^2"><span class=katex-html><b>x2</b></span></span>',
    ],
)
def test_a_picture_of_a_formula_is_its_tex(picture):
    assert read_small(f"<p>Here {picture} and on.</p>", "").text == "Here `$x^2$` and on."


def test_other_pictures_stay_so():
    page = '<p><img class="photo" alt="x^2" src="/a.png"></p>'
    assert slim(page) == page
