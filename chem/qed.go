package chem

import "math"

// QEDProperties are the eight properties of QED (Bickerton et al., "Quantifying the chemical
// beauty of drugs", Nature Chemistry 2012), on the molecule without explicit hydrogens.
type QEDProperties struct {
	MW       float64 // average molecular weight in dalton
	LogP     float64 // Wildman-Crippen partition coefficient
	HBA      float64 // hydrogen bond acceptors
	HBD      float64 // hydrogen bond donors
	PSA      float64 // topological polar surface area of nitrogen and oxygen in square ångström
	RotB     float64 // rotatable bonds, strict definition
	Aromatic float64 // rings left after the aliphatic ring atoms are removed
	Alerts   float64 // number of patterns of unwanted groups that occur
}

// desirability is an asymmetric double sigmoid of a property, and its weight.
type desirability struct{ a, b, c, d, e, f, max, weight float64 }

var desirabilities = [8]desirability{
	{2.817065973, 392.5754953, 290.7489764, 2.419764353, 49.22325677, 65.37051707, 104.9805561, 0.66},
	{3.172690585, 137.8624751, 2.534937431, 4.581497897, 0.822739154, 0.576295591, 131.3186604, 0.46},
	{2.948620388, 160.4605972, 3.615294657, 4.435986202, 0.290141953, 1.300669958, 148.7763046, 0.05},
	{1.618662227, 1010.051101, 0.985094388, 0.000000001, 0.713820843, 0.920922555, 258.1632616, 0.61},
	{1.876861559, 125.2232657, 62.90773554, 87.83366614, 12.01999824, 28.51324732, 104.5686167, 0.06},
	{0.010000000, 272.4121427, 2.558379970, 1.565547684, 1.271567166, 2.758063707, 105.4420403, 0.65},
	{3.217788970, 957.7374108, 2.274627939, 0.000000001, 1.317690384, 0.375760881, 312.3372610, 0.48},
	{0.010000000, 1199.094025, -0.09002883, 0.000000001, 0.185904477, 0.875193782, 417.7253140, 0.95},
}

func (d desirability) of(x float64) float64 {
	rise := 1 + math.Exp(-(x-d.c+d.d/2)/d.e)
	fall := 1 + math.Exp(-(x-d.c-d.d/2)/d.f)
	return (d.a + d.b/rise*(1-1/fall)) / d.max
}

// Score is QED, the weighted geometric mean of the desirabilities, from 0 to 1.
func (p QEDProperties) Score() float64 {
	var sum, weights float64
	for i, x := range [8]float64{p.MW, p.LogP, p.HBA, p.HBD, p.PSA, p.RotB, p.Aromatic, p.Alerts} {
		d := desirabilities[i]
		sum += d.weight * math.Log(d.of(x))
		weights += d.weight
	}
	return math.Exp(sum / weights)
}
