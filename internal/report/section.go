package report

import (
	"strings"

	"github.com/ehgnn/ehgnn/internal/lists"
)

// Heading is a Part that starts a section.
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

// Markdown is a second-level heading and the paragraphs.
func (h Heading) Markdown() string {
	var b strings.Builder
	b.WriteString("## " + escapeMarkdown(h.Title) + "\n")
	for _, line := range h.Lines {
		b.WriteString("\n" + escapeMarkdown(line) + "\n")
	}
	return b.String()
}

func (h Heading) html() (pagePart, error) { return render("heading", h) }

// Verdict is a Part: a sentence that says whether the model is good, most important words first.
type Verdict struct {
	Answer string // in bold
	Rest   string
	Tone   Tone
}

// Tone is the colour of a verdict.
type Tone string

// The zero value means that the model is ahead of every baseline.
const (
	Even Tone = "even" // level with a baseline
	Bad  Tone = "bad"  // behind a baseline
)

// Text is the sentence.
func (v Verdict) Text() string { return strings.TrimSpace(v.Answer+" "+v.Rest) + "\n" }

// Markdown is the sentence with the answer in bold.
func (v Verdict) Markdown() string {
	return strings.TrimSpace("**"+escapeMarkdown(v.Answer)+"** "+escapeMarkdown(v.Rest)) + "\n"
}

func (v Verdict) html() (pagePart, error) { return render("verdict", v) }

// Findings is a Part: at most three sentences on certain results and on limits.
type Findings []Finding

// Finding is a sentence; Beware marks a limit of the verdict.
type Finding struct {
	Text   string
	Beware bool
}

// Text has a line for each finding.
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

// Cards is a Part with parts side by side if there is room: two in a row, or three.
type Cards struct {
	Three bool
	Parts []Part
}

// Text has one part after another.
func (c Cards) Text() string { return strings.Join(textsOf(c.Parts, Part.Text), "\n") }

// Markdown has one part after another.
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

// Stacked has parts one below another in one place of Cards, under a title.
type Stacked struct {
	Title string
	Parts []Part
}

// Text has one part after another.
func (s Stacked) Text() string { return s.Title + "\n" + Cards{Parts: s.Parts}.Text() }

// Markdown has one part after another.
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

// pageParts returns parts in the form of a page.
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

// Definitions is a Part: names and their meanings.
type Definitions [][2]string

// Text has a line for each name.
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

// Command is a Part: a command to copy, and what its result depends on.
type Command struct {
	Line  string
	Facts Definitions
	ID    string // address within the page; empty for none
}

// Words are the words of the line. A page breaks them only after commas.
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

// Facts is a Part with the few most important numbers, each with a number for comparison.
type Facts []Fact

// Fact is a number with a name.
type Fact struct{ Name, Value, Note string }

// Text has a line for each fact.
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
