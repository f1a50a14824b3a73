; what the solver says of itself
(set-logic QF_BV)
(set-info :status sat)
(set-info :source |several
lines|)
(get-info :name)
(get-info :error-behavior)
(get-info :assertion-stack-levels)
(get-info :favourite-colour)
(get-info :reason-unknown)
(echo "with ""quotes"" in it")
(exit)
(echo "never said")
