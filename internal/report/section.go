package report

import (
	"strings"

	"github.com/ehgnn/ehgnn/internal/lists"
)

// Heading is a Part that begins a section.
type Heading struct {
	// Name is the section's entry in the list of contents and, in lower case, its address; empty for none.
	Name  string
	Title string
	Lines []string // paragraphs below it
}

// ID is the address of the section within the page.
func (h Heading) ID() string { return strings.ReplaceAll(strings.ToLower(h.Name), " ", "-") }

// Text is the title, underlined, and the paragraphs.
func (h Heading) Text() string {
	return strings.Join(append([]string{h.Title, strings.Repeat("-", len([]rune(h.Title)))}, h.Lines...), "\n") + "\n"
}

// Markdown is a heading of the second level and the paragraphs.
func (h Heading) Markdown() string {
	var b strings.Builder
	b.WriteString("## " + escapeMarkdown(h.Title) + "\n")
	for _, line := range h.Lines {
		b.WriteString("\n" + escapeMarkdown(line) + "\n")
	}
	return b.String()
}

func (h Heading) html() (pagePart, error) { return render("heading", h) }

// Verdict is a Part: the sentence that answers whether the model is good, the most important words first.
type Verdict struct {
	Answer string // in bold
	Rest   string
	Tone   Tone
}

// Tone is the colour of a verdict.
type Tone string

// The zero value is for a model that is ahead of every baseline.
const (
	Even Tone = "even" // level with a baseline
	Bad  Tone = "bad"  // behind one
)

// Text is the sentence.
func (v Verdict) Text() string { return strings.TrimSpace(v.Answer+" "+v.Rest) + "\n" }

// Markdown is the sentence with the answer in bold.
func (v Verdict) Markdown() string {
	return strings.TrimSpace("**"+escapeMarkdown(v.Answer)+"** "+escapeMarkdown(v.Rest)) + "\n"
}

func (v Verdict) html() (pagePart, error) { return render("verdict", v) }

// Findings are a Part: at most three sentences on what is certain and what to beware of.
type Findings []Finding

// Finding is a sentence; Beware marks what weakens the verdict.
type Finding struct {
	Text   string
	Beware bool
}

// Text has a line for each.
func (f Findings) Text() string {
	var b strings.Builder
	for _, x := range f {
		b.WriteString("- " + x.Text + "\n")
	}
	return b.String()
}

// Markdown is a list.
func (f Findings) Markdown() string { return escapeMarkdownLines(f.Text()) }

func escapeMarkdownLines(text string) string {
	lines := strings.Split(strings.TrimSuffix(text, "\n"), "\n")
	for i := range lines {
		lines[i] = escapeMarkdown(lines[i])
	}
	return strings.Join(lines, "\n") + "\n"
}

func (f Findings) html() (pagePart, error) { return render("findings", f) }

// Cards are a Part of parts beside each other where there is room: two in a row, or three.
type Cards struct {
	Three bool
	Parts []Part
}

// Text has one part after the other.
func (c Cards) Text() string { return strings.Join(textsOf(c.Parts, Part.Text), "\n") }

// Markdown has one part after the other.
func (c Cards) Markdown() string { return strings.Join(textsOf(c.Parts, Part.Markdown), "\n") }

func (c Cards) html() (pagePart, error) {
	parts, err := pageParts(c.Parts)
	if err != nil {
		return "", err
	}
	return render("cards", struct {
		Three bool
		Parts []pagePart
	}{c.Three, parts})
}

// Stacked are parts below each other in one place of Cards, under a title.
type Stacked struct {
	Title string
	Parts []Part
}

// Text has one part after the other.
func (s Stacked) Text() string { return s.Title + "\n" + Cards{Parts: s.Parts}.Text() }

// Markdown has one part after the other.
func (s Stacked) Markdown() string {
	return "### " + escapeMarkdown(s.Title) + "\n\n" + Cards{Parts: s.Parts}.Markdown()
}

func (s Stacked) html() (pagePart, error) {
	parts, err := pageParts(s.Parts)
	if err != nil {
		return "", err
	}
	return render("stacked", struct {
		Title string
		Parts []pagePart
	}{s.Title, parts})
}

// pageParts are parts as a page has them.
func pageParts(of []Part) ([]pagePart, error) {
	var out []pagePart
	for _, p := range of {
		part, err := p.html()
		if err != nil {
			return nil, err
		}
		out = append(out, part)
	}
	return out, nil
}

// Definitions are a Part: names and what they stand for.
type Definitions [][2]string

// Text has a line for each.
func (d Definitions) Text() string {
	rows := lists.Map(d, func(x [2]string) []string { return []string{x[0], x[1]} })
	return (&Listing{Columns: []ListingColumn{{Left: true}, {Left: true}}, Rows: rows}).Text()
}

// Markdown is a list.
func (d Definitions) Markdown() string {
	var b strings.Builder
	for _, x := range d {
		b.WriteString("- **" + escapeMarkdown(x[0]) + "**: " + escapeMarkdown(x[1]) + "\n")
	}
	return b.String()
}

func (d Definitions) html() (pagePart, error) { return render("definitions", d) }

// Command is a Part: a command to copy, with what it depends on.
type Command struct {
	Line  string
	Facts Definitions
	ID    string // its address within the page; empty for none
}

// Words are those of the line, which a page does not break but behind commas.
func (c Command) Words() [][]string {
	return lists.Map(strings.Fields(c.Line), func(word string) []string { return strings.SplitAfter(word, ",") })
}

// Text is the command and the facts.
func (c Command) Text() string { return c.Line + "\n" + c.Facts.Text() }

// Markdown is the command as code and the facts.
func (c Command) Markdown() string {
	return Lines{c.Line}.Markdown() + c.Facts.Markdown()
}

func (c Command) html() (pagePart, error) { return render("command", c) }

// Facts are a Part of the few numbers that matter most, each with what to compare it to.
type Facts []Fact

// Fact is a number under a name.
type Fact struct{ Name, Value, Note string }

// Text has a line for each.
func (f Facts) Text() string {
	var b strings.Builder
	for _, x := range f {
		b.WriteString(strings.TrimRight(x.Name+": "+x.Value+"  "+x.Note, " ") + "\n")
	}
	return b.String()
}

// Markdown is a list.
func (f Facts) Markdown() string {
	var b strings.Builder
	for _, x := range f {
		b.WriteString("- **" + escapeMarkdown(x.Name) + "**: " + escapeMarkdown(strings.TrimRight(x.Value+". "+x.Note, " ")) + "\n")
	}
	return b.String()
}

func (f Facts) html() (pagePart, error) { return render("facts", f) }
