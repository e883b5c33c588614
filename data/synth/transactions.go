package synth

import (
	"encoding/csv"
	"fmt"
	"io"
	"math"
	"strconv"

	"github.com/ehgnn/ehgnn/internal/rng"
)

// Transactions are accounts and payments between them, of which some are fraud: an example of edge
// classification. Accounts are numbered from 0. Payments are in the order of time. Two accounts may
// have several payments.
type Transactions struct {
	Accounts []Account
	Payments []Payment
}

// Account is a node.
type Account struct {
	Kind string // "person" or "shop"
	Days int    // since the account was opened
}

// Payment is a directed edge.
type Payment struct {
	Source, Target int
	Amount         float64 // rounded to cents
	Channel        string  // "card", "transfer" or "exchange"
	Hour           int     // of the day, 0 to 23
	Minute         int     // since the beginning; ascending
	Region         string  // of the payer
	Fraud          bool
}

// Shape of the payments of NewTransactions.
const (
	shopShare     = 0.2  // of the accounts
	muleShare     = 0.05 // of the people
	muleTransfers = 0.15 // of the transfers go to mules
	transferShare = 0.4  // of the payments
	exchangeShare = 0.12
	fraudAmount   = 120 // least amount of a fraudulent payment
	regions       = 12
)

// NewTransactions draws payments between accounts. About one in thirty is fraud.
//
// A few people are mules: they receive stolen money by transfer and pay it to an exchange. A
// payment is fraud if it is a transfer of at least 120 to a mule. No feature says who is a mule,
// and transfers to other accounts are as large, so neither amount nor channel is enough. Some
// people who are not mules also pay to exchanges, and mules receive small transfers that are not
// fraud. Fraud can be predicted from the payment's own features together with those of the payee's
// other payments, which are neighbouring edges. A model that reads each payment alone can only
// suspect all large transfers.
//
// It returns an error with fewer than 50 accounts or a negative number of payments.
func NewTransactions(accounts, payments int, seed uint64) (*Transactions, error) {
	if accounts < 50 || payments < 0 {
		return nil, fmt.Errorf("synth: transactions of %d accounts with %d payments, expected at least 50 accounts and no negative number", accounts, payments)
	}
	r := rng.Stream(seed, "transactions", accounts, payments)
	t := &Transactions{Accounts: make([]Account, accounts), Payments: make([]Payment, payments)}
	var shops, people, mules []int
	region := make([]string, accounts)
	for i, at := range r.Perm(accounts) {
		a := Account{Kind: "person", Days: 30 + r.IntN(2000)}
		region[at] = "r" + strconv.Itoa(r.IntN(regions))
		switch share := float64(i) / float64(accounts); {
		case share < shopShare:
			a.Kind = "shop"
			shops = append(shops, at)
		case share < shopShare+(1-shopShare)*muleShare:
			mules = append(mules, at)
		default:
			people = append(people, at)
		}
		t.Accounts[at] = a
	}
	pick := func(from []int) int { return from[r.IntN(len(from))] }
	minute := 0
	for i := range t.Payments {
		minute += 1 + r.IntN(20)
		p := Payment{Minute: minute, Hour: minute / 60 % 24}
		switch x := r.Float64(); {
		case x < transferShare:
			p.Channel, p.Source, p.Target = "transfer", pick(people), pick(people)
			mule := r.Float64() < muleTransfers
			if mule {
				p.Target = pick(mules)
			}
			p.Amount = math.Exp(5 + r.NormFloat64())
			p.Fraud = mule && p.Amount >= fraudAmount
		case x < transferShare+exchangeShare:
			p.Channel, p.Source, p.Target, p.Amount = "exchange", pick(mules), pick(shops), math.Exp(5+r.NormFloat64())
			if r.IntN(4) == 0 {
				p.Source = pick(people)
			}
		default:
			p.Channel, p.Source, p.Target, p.Amount = "card", pick(people), pick(shops), math.Exp(3+r.NormFloat64())
		}
		p.Amount = math.Round(p.Amount*100) / 100
		p.Region = region[p.Source]
		t.Payments[i] = p
	}
	return t, nil
}

// Shares and factors of AddDoubt.
const (
	unreported = 0.2  // of the fraudulent payments
	stolen     = 0.05 // of the payments by card
	stolenRise = 2.0  // factor of the mean amount of stolen cards
)

// AddDoubt makes labels like those of a bank, which nobody can predict without errors. Some
// fraudulent payments were never reported and count as ok. Some payments by card are fraud with
// stolen cards; only larger amounts hint at them.
func (t *Transactions) AddDoubt(seed uint64) {
	r := rng.Stream(seed, "transactions", "doubt")
	for i := range t.Payments {
		p := &t.Payments[i]
		switch x := r.Float64(); {
		case p.Fraud && x < unreported:
			p.Fraud = false
		case p.Channel == "card" && x < stolen:
			p.Fraud, p.Amount = true, math.Round(stolenRise*p.Amount*100)/100
		}
	}
}

// WriteNodes writes the accounts as CSV: id, kind, days.
func (t *Transactions) WriteNodes(w io.Writer) error {
	c := csv.NewWriter(w)
	rows := [][]string{{"id", "kind", "days"}}
	for i, a := range t.Accounts {
		rows = append(rows, []string{strconv.Itoa(i), a.Kind, strconv.Itoa(a.Days)})
	}
	return c.WriteAll(rows)
}

// WriteEdges writes the payments as CSV: source, target, amount, channel, hour,
// time (minutes), group (the payer's region) and label (fraud or ok).
func (t *Transactions) WriteEdges(w io.Writer) error {
	c := csv.NewWriter(w)
	rows := [][]string{{"source", "target", "amount", "channel", "hour", "time", "group", "label"}}
	for _, p := range t.Payments {
		label := "ok"
		if p.Fraud {
			label = "fraud"
		}
		rows = append(rows, []string{strconv.Itoa(p.Source), strconv.Itoa(p.Target), strconv.FormatFloat(p.Amount, 'f', 2, 64),
			p.Channel, strconv.Itoa(p.Hour), strconv.Itoa(p.Minute), p.Region, label})
	}
	return c.WriteAll(rows)
}
